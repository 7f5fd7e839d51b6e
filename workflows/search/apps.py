"""The search app, separate because its tables in Django's database are the index and hold nothing else of ours."""

from django.apps import AppConfig


class SearchConfig(AppConfig):
    name = "workflows.search"
