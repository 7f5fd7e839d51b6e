"""Writes of schemas and attribute definitions."""
