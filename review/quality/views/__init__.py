"""Pages of quality: differences to resolve, and reviewer statistics."""
