"""Extractors: what a project's reviews teach about where values stand; versioned, activated and pinned by runs."""
