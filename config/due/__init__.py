"""Due work: rows to be handled later, the five verbs that move them, the handler of each kind, and the sweeper."""
