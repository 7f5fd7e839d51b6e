"""One decision, from the claim to its application: claim, draft, decide, undo, redeem, expire, escalate."""
