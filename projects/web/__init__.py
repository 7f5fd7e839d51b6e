"""Shared by all pages and the API: request, middleware, links, CSV."""
