"""Folders: filing of documents, paths, and access by group."""
