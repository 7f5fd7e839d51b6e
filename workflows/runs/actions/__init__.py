"""Writes of a run's state and of the rows that show it."""
