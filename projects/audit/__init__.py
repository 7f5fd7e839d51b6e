"""The audit record: one event in the transaction of each change."""
