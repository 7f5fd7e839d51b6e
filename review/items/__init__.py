"""Items of reviews."""
