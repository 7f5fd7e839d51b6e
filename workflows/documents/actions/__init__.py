"""Writes of a document's life after its first run."""
