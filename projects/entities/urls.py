"""URLs of entities, under ``/entities/``."""

from django.urls import path

from projects.entities import views

app_name = "entities"
urlpatterns = [
    path("", views.list_types, name="list-types"),
    path("suggest/", views.suggest_entities, name="suggest-entities"),
    path("<slug:type_id>/", views.list_entities, name="list-entities"),
    path("<slug:type_id>/edit/", views.edit_type, name="edit-type"),
    path("<slug:type_id>/delete/", views.delete_type, name="delete-type"),
    path("<slug:type_id>/new/", views.create_entity, name="create-entity"),
    path("<slug:type_id>/import/", views.import_file, name="import-entities"),
    path("<slug:type_id>/<slug:entity_id>/", views.show_entity, name="show-entity"),
    path("<slug:type_id>/<slug:entity_id>/merge/", views.merge_entity, name="merge-entity"),
    path("<slug:type_id>/<slug:entity_id>/delete/", views.delete_entity, name="delete-entity"),
]
