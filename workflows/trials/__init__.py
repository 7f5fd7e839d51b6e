"""Trials: a prompt tried on a document beside the one in production, or OCR models on a page, without a run."""
