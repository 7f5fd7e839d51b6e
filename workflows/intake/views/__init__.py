"""Pages of intake: upload, bucket folders and quarantine."""
