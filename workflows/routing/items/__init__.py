"""Rows of rules and field mappings."""
