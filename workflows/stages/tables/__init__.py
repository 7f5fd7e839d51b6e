"""Table extraction: rows of cells, found by their heading, checked by arithmetic."""
