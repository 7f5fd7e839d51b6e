"""Pages of runs, documents, uploads and health."""
