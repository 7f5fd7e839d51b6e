"""Executions without a document: started with arbitrary data, with steps, approvals and outcomes of their own."""
