"""Access policies in Rego: a site's own rules that deny access beyond groups."""
