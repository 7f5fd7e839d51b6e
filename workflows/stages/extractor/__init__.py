"""The learned extractor: spans of words, their features and scores, as trained on a project's reviews."""
