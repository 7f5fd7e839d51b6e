"""The URL of the search, in the namespace ``workflows``."""

from django.urls import path

from workflows.search import views

urlpatterns = [
    path("search/", views.search, name="search"),
]
