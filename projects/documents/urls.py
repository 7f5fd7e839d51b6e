"""URLs of documents, under ``/documents/``; files and runs of a document are the workflows' to show."""

from django.urls import path

from projects.documents import views

app_name = "documents"
urlpatterns = [
    path("", views.list_documents, name="list-documents"),
    path("deleted/", views.list_deleted, name="list-deleted"),
    path("deleted/<slug:document_id>/", views.show_deleted, name="show-deleted"),
    path("<slug:document_id>/", views.show_document, name="show-document"),
    path("<slug:document_id>/activity/", views.show_activity, name="show-activity"),
    path("<slug:document_id>/earlier/", views.list_earlier_values, name="list-earlier-values"),
    path("<slug:document_id>/checkout/", views.change_checkout, name="change-checkout"),
    path("<slug:document_id>/hold/", views.change_hold, name="change-hold"),
    path("<slug:document_id>/type/", views.change_type, name="change-type"),
    path("<slug:document_id>/tags/", views.change_tags, name="change-tags"),
    path("<slug:document_id>/attributes/", views.change_attributes, name="change-attributes"),
    path("<slug:document_id>/metadata/", views.change_metadata, name="change-metadata"),
]
