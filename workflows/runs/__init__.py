"""Runs: states and transitions, frozen settings, rows, and the single write of a run's state."""
