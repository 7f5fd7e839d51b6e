"""Follow-ups of a run's end: rule actions, webhooks, and notices to senders."""
