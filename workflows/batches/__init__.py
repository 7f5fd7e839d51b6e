"""Batches: a manifest is read, its files are looked at, and its lines run in as many lanes as there are fair slots."""
