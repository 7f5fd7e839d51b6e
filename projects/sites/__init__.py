"""Sites (tenants): permissions, groups, API keys, sign-in."""
