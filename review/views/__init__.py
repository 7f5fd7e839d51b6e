"""Pages of reviews: the queue, the desk of one review, and what a person does there."""
