"""The catalogue of language and OCR models that projects choose from."""
