"""Rows of what follows a publication."""
