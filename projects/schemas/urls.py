"""URLs of schemas, under ``/schemas/``."""

from django.urls import path

from projects.schemas import views
from projects.schemas.labels import views as label_views

app_name = "schemas"
urlpatterns = [
    path("", views.list_classifications, name="list-classifications"),
    path("new/", views.create_classification, name="create-classification"),
    path("site/", views.edit_site_schema, name="edit-site-schema"),
    path("languages/", label_views.list_languages, name="list-languages"),
    path("languages/<str:locale>/", label_views.edit_labels, name="edit-labels"),
    path("languages/<str:locale>/remove/", label_views.remove_language, name="remove-language"),
    path("languages/<str:locale>/labels.csv", label_views.export_labels, name="export-labels"),
    path("languages/<str:locale>/import/", label_views.import_file, name="import-labels"),
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
