"""URLs of documents, under ``/documents/``; files and runs of a document are the workflows' to show."""

from django.urls import path

from projects.documents.views import documents as document_views
from projects.documents.views import hold as hold_views
from projects.documents.views import properties as property_views
from projects.documents.views import removals as removal_views

app_name = "documents"
urlpatterns = [
    path("", document_views.list_documents, name="list-documents"),
    path("deleted/", removal_views.list_deleted, name="list-deleted"),
    path("deleted/<slug:document_id>/", removal_views.show_deleted, name="show-deleted"),
    path("<slug:document_id>/", document_views.show_document, name="show-document"),
    path("<slug:document_id>/activity/", document_views.show_activity, name="show-activity"),
    path("<slug:document_id>/hold/", hold_views.change_hold, name="change-hold"),
    path("<slug:document_id>/tags/", property_views.change_tags, name="change-tags"),
    path("<slug:document_id>/attributes/", property_views.change_attributes, name="change-attributes"),
    path("<slug:document_id>/metadata/", property_views.change_metadata, name="change-metadata"),
]
