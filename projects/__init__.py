"""Who works here, on what, with which settings."""
