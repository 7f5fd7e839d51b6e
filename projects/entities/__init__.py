"""Entities that documents name, such as suppliers and customers, with names, tax IDs and IBANs."""
