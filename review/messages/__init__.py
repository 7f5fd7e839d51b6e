"""Messages about a review: comments, questions and answers."""
