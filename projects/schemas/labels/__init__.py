"""Translations of a site's attributes, values and document types; stored values never change."""
