"""Writes of batches."""
