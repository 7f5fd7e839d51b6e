"""Exports of a project's published results as CSV, Excel, JSON Lines or Parquet, from pages, the API and schedules."""
