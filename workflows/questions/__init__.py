"""What people ask about a page of a run, and how it is answered."""
