"""Writes of sites, permissions and API keys."""
