"""Pages of Insight, its export, and the runs behind a number."""
