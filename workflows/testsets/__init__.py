"""Test sets: documents of a project with known answers, versioned and split into two halves."""
