"""Segments and sentences of text files."""
