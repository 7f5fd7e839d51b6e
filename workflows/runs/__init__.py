"""What a run is: its states and moves, its settings, its rows, and the one write of its state."""
