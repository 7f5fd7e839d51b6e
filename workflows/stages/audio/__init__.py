"""Recordings: decoding, and local speech recognition."""
