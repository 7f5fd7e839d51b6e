"""Tables of a document: rows of cells, found by their heading, checked by their own arithmetic."""
