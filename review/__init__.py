"""A person decides, and the run resumes."""
