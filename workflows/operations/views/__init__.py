"""Pages of operations."""
