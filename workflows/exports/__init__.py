"""Exports: published results of a project as CSV, Excel, JSON Lines or Parquet, ordered by page, API and schedule."""
