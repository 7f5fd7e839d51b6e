"""Redaction of documents for people who may not see personal values: masked text, and painted-over page images."""
