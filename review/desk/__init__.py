"""The review desk: queues, the review page and its decisions."""
