"""Executions without a document: whatever data starts one, its steps and approvals, and how it ended."""
