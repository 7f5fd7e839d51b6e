"""Pages as images, words and lines: PDF, image files, text layers, OCR."""
