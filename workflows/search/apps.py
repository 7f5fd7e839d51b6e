"""The search as an app of its own: its tables in Django's database are the index, and nothing else of ours is there."""

from django.apps import AppConfig


class SearchConfig(AppConfig):
    name = "workflows.search"
