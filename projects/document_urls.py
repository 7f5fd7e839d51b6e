"""URLs of documents, under ``/documents/``; files and runs of a document are the workflows' to show."""

from django.urls import path

from projects import views

app_name = "documents"
urlpatterns = [
    path("", views.documents.list_documents, name="list-documents"),
    path("deleted/", views.removals.list_deleted, name="list-deleted"),
    path("deleted/<slug:document_id>/", views.removals.show_deleted, name="show-deleted"),
    path("<slug:document_id>/", views.documents.show_document, name="show-document"),
    path("<slug:document_id>/activity/", views.documents.show_activity, name="show-activity"),
    path("<slug:document_id>/tags/", views.properties.change_tags, name="change-tags"),
    path("<slug:document_id>/attributes/", views.properties.change_attributes, name="change-attributes"),
    path("<slug:document_id>/metadata/", views.properties.change_metadata, name="change-metadata"),
]
