"""The key templates of every kind of row, one module for each part of the system."""
