"""Writes of documents after their first run."""
