"""URLs of workflow definitions, under ``/settings/``."""

from django.urls import path

from workflows.definitions import views as definition_views

app_name = "definitions"
urlpatterns = [
    path("definitions/", definition_views.list_definitions, name="list-definitions"),
    path("definitions/<str:definition_id>/", definition_views.show_definition, name="show-definition"),
    path("definitions/<str:definition_id>/activate/", definition_views.activate_definition, name="activate-definition"),
    path("definitions/<str:definition_id>/archive/", definition_views.archive_definition, name="archive-definition"),
]
