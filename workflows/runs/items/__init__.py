"""Rows of runs: executions, transitions, documents in their project, events, spending."""
