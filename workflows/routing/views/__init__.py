"""Pages of rules and field mappings."""
