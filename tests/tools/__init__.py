"""What only developers use: measuring, filling; run by commands that say so where this folder is not installed."""
