"""Which type a document is of, by rules or by a model, and what follows for its fields."""
