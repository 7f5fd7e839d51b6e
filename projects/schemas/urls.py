"""URLs of schemas, under ``/schemas/``."""

from django.urls import path

from projects.schemas.views import attribute_definitions, schemas

app_name = "schemas"
urlpatterns = [
    path("", schemas.list_classifications, name="list-classifications"),
    path("new/", schemas.create_classification, name="create-classification"),
    path("site/", schemas.edit_site_schema, name="edit-site-schema"),
    path("attributes/", attribute_definitions.list_attributes, name="list-attributes"),
    # An older writer's key may hold a slash.
    path("attributes/<path:key>/delete/", attribute_definitions.delete_attribute, name="delete-attribute"),
    path("attributes/<path:key>/", attribute_definitions.edit_attribute, name="edit-attribute"),
    path("classifications/<str:classification_id>/", schemas.edit_classification, name="edit-classification"),
    path(
        "classifications/<str:classification_id>/archive/",
        schemas.archive_classification,
        name="archive-classification",
    ),
]
