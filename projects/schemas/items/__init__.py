"""Rows of schemas and attribute definitions."""
