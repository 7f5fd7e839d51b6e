"""Workflow definitions: versioned steps, their checks, their drawing, their state machine."""
