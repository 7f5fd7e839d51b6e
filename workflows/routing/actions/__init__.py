"""Writes of rules and field mappings."""
