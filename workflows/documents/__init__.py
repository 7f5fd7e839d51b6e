"""A document's life after its first run: new versions, re-runs, comparison, deletion, purge."""
