"""S3: the names of objects, and the objects."""
