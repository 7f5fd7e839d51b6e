"""Writes of documents, tags, attributes and metadata."""
