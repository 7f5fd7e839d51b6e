"""What follows a publication or an end: actions, webhooks, notices."""
