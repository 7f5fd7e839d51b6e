"""Shares: a document or a folder shown to a person, a group, or whoever has a link"""
