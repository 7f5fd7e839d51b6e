"""Project settings: fields, thresholds, models, and merging of concurrent changes."""
