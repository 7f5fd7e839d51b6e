"""What reviews teach: calibrations of confidence, how reliable they are."""
