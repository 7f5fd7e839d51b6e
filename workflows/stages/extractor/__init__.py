"""Values found by what a project's reviews taught of any field: spans of words, their features and their scores."""
