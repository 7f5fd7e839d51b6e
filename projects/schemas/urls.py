"""URLs of schemas, under ``/schemas/``."""

from django.urls import path

from projects.schemas import views

app_name = "schemas"
urlpatterns = [
    path("", views.list_classifications, name="list-classifications"),
    path("new/", views.create_classification, name="create-classification"),
    path("site/", views.edit_site_schema, name="edit-site-schema"),
    path("attributes/", views.list_attributes, name="list-attributes"),
    # An older writer's key may hold a slash.
    path("attributes/<path:key>/delete/", views.delete_attribute, name="delete-attribute"),
    path("attributes/<path:key>/", views.edit_attribute, name="edit-attribute"),
    path("classifications/<str:classification_id>/", views.edit_classification, name="edit-classification"),
    path(
        "classifications/<str:classification_id>/archive/",
        views.archive_classification,
        name="archive-classification",
    ),
]
