"""Folders: where people file documents, which groups open them, and how a document's path comes about."""
