"""Whom documents name: suppliers, customers and other types of entities, known by name, tax ID and IBAN."""
