"""URLs to publish a document to everyone, in the namespace ``workflows``."""

from django.urls import path

from workflows.links import publication_views

urlpatterns = [
    path(
        "documents/<slug:document_id>/publication/",
        publication_views.change_publication,
        name="change-publication",
    ),
]
