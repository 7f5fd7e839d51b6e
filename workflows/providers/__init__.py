"""The outside services that do a stage's work: their requests, answers and jobs. Stages get them by their context."""
