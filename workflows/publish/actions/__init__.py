"""Writes of what follows a publication."""
