"""What governs attributes: definitions, the site's schema, document types, composite keys."""
