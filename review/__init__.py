"""Human review: a person decides, then the run resumes."""
