"""What routing rules and field mappings say, as plain values; pure."""
