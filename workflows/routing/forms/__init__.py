"""What people type about rules and field mappings."""
