"""Learning from reviews: calibration of confidence, its reliability, and extractors."""
