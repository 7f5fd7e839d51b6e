"""Questions that people ask about a page of a run, and their answers."""
