"""Whether a value may be published unseen: its confidence against the threshold (``review_reasons.py``), rules of its
type, proofs; and how urgent a review is (``triage.py``). Pure.
"""
