"""Whether a value may be published without review: thresholds, type rules, proofs (``needs_review.py``); triage.

Pure.
"""
