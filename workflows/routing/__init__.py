"""Where a document goes: rulesets, rules, field mappings, and the copy of them that a run pins."""
