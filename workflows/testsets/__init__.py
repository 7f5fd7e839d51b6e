"""Test sets: documents of a project with known answers, in versions and two halves."""
