"""Audit events, written in the transaction of each change."""
