"""URLs of workflow definitions, under ``/settings/``."""

from django.urls import path

from workflows.definitions import views as definition_views

app_name = "definitions"
urlpatterns = [
    path("definitions/", definition_views.list_definitions, name="list-definitions"),
    path("definitions/new/", definition_views.create_definition, name="create-definition"),
    path("definitions/<str:definition_id>/", definition_views.show_definition, name="show-definition"),
    path("definitions/<str:definition_id>/activate/", definition_views.activate_definition, name="activate-definition"),
    path("definitions/<str:definition_id>/archive/", definition_views.archive_definition, name="archive-definition"),
    path("definitions/<str:definition_id>/deploy/", definition_views.deploy_definition, name="deploy-definition"),
    path("definitions/<str:name>/documents/", definition_views.list_documents, name="list-documents"),
    path("definitions/<str:name>/plan/", definition_views.edit_definition_plan, name="edit-plan"),
]
