"""Pages as pictures, words and lines: PDF, images, text layers, OCR."""
