"""Batches: many files listed in one manifest and processed in parallel, within concurrency limits."""
