"""The work of models in stages: a page's fields, summaries, answers."""
