"""A prompt tried on one document beside the one in production; nothing of it becomes a run."""
