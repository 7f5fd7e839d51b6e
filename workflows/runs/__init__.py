"""What a run is: its states, its settings, its records and every read of them."""
