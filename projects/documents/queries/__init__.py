"""Reads of documents, lists and counters."""
