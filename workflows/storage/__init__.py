"""S3 storage: key names, and reads and writes of objects."""
