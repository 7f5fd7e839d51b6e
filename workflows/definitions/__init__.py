"""Workflow definitions: versioned steps, routing rules, validation, diagrams and state machines."""
