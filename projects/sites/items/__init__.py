"""Rows of sites, permissions and API keys."""
