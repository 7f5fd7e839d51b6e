"""Pages of prompts."""
