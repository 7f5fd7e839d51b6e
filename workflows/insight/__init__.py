"""Insight: daily rollups of runs, and the pages that report them."""
