"""Pages of batches."""
