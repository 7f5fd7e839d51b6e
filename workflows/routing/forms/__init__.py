"""Forms of rules and field mappings."""
