"""Who did what: changes, activity, decisions and lineage in the order of time."""
