"""What people say to each other about a review: comments, questions and their answers."""
