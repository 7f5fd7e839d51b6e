"""The pages of the desk: the queue, one review with its fields, deciding."""
