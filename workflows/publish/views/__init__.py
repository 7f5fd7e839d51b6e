"""Pages of what follows a publication."""
