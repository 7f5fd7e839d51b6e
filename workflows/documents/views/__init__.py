"""Pages of documents after their first run."""
