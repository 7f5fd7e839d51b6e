"""The life of one decision: claim, draft, decide, undo, redeem, apply, expire, escalate."""
