"""Pages of trials: a prompt on a document, a page read by several OCR models."""
