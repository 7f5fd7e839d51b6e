"""Segments and sentences of files that are text."""
