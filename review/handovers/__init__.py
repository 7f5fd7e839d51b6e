"""What other systems hand over to the desk: their questions, and how each gets its answer (docs/intake.md)."""
