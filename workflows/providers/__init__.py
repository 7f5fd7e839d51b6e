"""Providers: clients of the external services behind stages. Stages get them from their context."""
