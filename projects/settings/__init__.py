"""A project's settings: fields, thresholds, prompts and models, and how two admins' changes are merged."""
