"""Pages of versions, re-runs, comparison, deletion."""
