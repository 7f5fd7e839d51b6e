"""URLs of a project's extractors, in the namespace ``workflows``."""

from django.urls import path

from workflows.learning.extractors import views

urlpatterns = [
    path("workflows/projects/<str:project_id>/extraction/", views.show_extractors, name="show-extractors"),
    path("workflows/projects/<str:project_id>/extraction/train/", views.train_extractor, name="train-extractor"),
    path(
        "workflows/projects/<str:project_id>/extraction/<int:version>/activate/",
        views.activate_extractor,
        name="activate-extractor",
    ),
]
