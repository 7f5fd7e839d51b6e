"""Shares: documents and folders shared with people, groups, or anyone with a link."""
