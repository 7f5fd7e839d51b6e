"""Recordings: decoding them, and the local speech recogniser."""
