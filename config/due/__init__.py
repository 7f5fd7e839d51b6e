"""Work that must happen later, by whom and until when: its rows, their five verbs, who does each kind, the sweeper."""
