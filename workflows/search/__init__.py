"""Full-text search over published documents: index, query parsing, page."""
