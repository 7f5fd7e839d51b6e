"""Cases: documents that belong together, their tasks, and what is not in good order (NIGO)."""
