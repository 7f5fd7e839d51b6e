"""Rows of documents and what hangs on them."""
