"""What every page and API answer shares: request, middleware, links, CSV."""
