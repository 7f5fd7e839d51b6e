"""People, sites, documents and settings."""
