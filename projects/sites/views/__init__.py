"""Pages of sites, groups and API keys."""
