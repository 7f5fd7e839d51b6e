"""Documents after their first run: new versions, re-runs, comparison, deletion and purge."""
