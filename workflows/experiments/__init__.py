"""Experiments: prompts, models and settings measured on a test set by workers, within a cost limit."""
