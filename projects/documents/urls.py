"""URLs of documents, under ``/documents/``; ``workflows`` has those of files and runs."""

from django.urls import path

from projects.documents.views import deleted, document, listing, locks, properties

app_name = "documents"
urlpatterns = [
    path("", listing.list_documents, name="list-documents"),
    path("deleted/", deleted.list_deleted, name="list-deleted"),
    path("deleted/<slug:document_id>/", deleted.show_deleted, name="show-deleted"),
    path("<slug:document_id>/", document.show_document, name="show-document"),
    path("<slug:document_id>/activity/", document.show_activity, name="show-activity"),
    path("<slug:document_id>/earlier/", properties.list_earlier_values, name="list-earlier-values"),
    path("<slug:document_id>/checkout/", locks.change_checkout, name="change-checkout"),
    path("<slug:document_id>/hold/", locks.change_hold, name="change-hold"),
    path("<slug:document_id>/type/", properties.change_type, name="change-type"),
    path("<slug:document_id>/tags/", properties.change_tags, name="change-tags"),
    path("<slug:document_id>/attributes/", properties.change_attributes, name="change-attributes"),
    path("<slug:document_id>/metadata/", properties.change_metadata, name="change-metadata"),
]
