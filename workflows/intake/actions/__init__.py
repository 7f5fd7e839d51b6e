"""Writes of intake."""
