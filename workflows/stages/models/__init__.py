"""What a model does in a stage: a page's fields, a summary, an answer."""
