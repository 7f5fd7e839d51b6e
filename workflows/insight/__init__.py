"""Insight: what runs add to the sums of their days, and the page of those sums."""
