"""Review requests from other systems, and the delivery of answers (docs/review-requests.md)."""
