"""Access without an account: documents and folders shared by link, and published documents."""
