"""Schemas: attribute definitions, the site's schema, document types, composite keys."""
