"""URLs of published documents, under ``/published/``."""

from django.urls import path

from workflows.links import publication_views

app_name = "published"
urlpatterns = [
    path("<slug:published_id>/", publication_views.show_publication, name="show-publication"),
    path("<slug:published_id>/pages/<int:index>.png", publication_views.published_image, name="published-image"),
    path("<slug:published_id>/download/", publication_views.download_publication, name="download-publication"),
]
