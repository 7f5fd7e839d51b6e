"""Quality: sampled second reviews, adjudication of differences, seeded checks and reviewer statistics."""
