"""Classification of documents, by rules or a model, and the fields that follow from it."""
