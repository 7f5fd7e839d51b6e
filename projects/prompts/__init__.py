"""Prompts by purpose: versions, labels, and the runs that used them."""
