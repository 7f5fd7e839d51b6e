"""Routing: rulesets, rules, field mappings, and the copy of them that each run pins."""
