"""The page of figures, its export, and the runs behind a number."""
