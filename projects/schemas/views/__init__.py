"""Pages of schemas and attribute definitions."""
