"""Reads of sites and API keys."""
