"""The search over published documents: its index, its words, its page."""
