"""Sites (tenants): who may do what there, groups, API keys, signing in."""
