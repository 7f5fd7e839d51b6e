"""Cases: documents that belong together, the tasks they need, and what is not in good order (NIGO) with them."""
