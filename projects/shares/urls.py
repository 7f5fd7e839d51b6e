"""URLs of shares, under ``/documents/shares/``."""

from django.urls import path

from projects.shares import views

app_name = "shares"
urlpatterns = [
    path("", views.list_shares, name="list-shares"),
    path("mine/", views.list_mine, name="list-mine"),
    path("of/<slug:document_id>/", views.share_document, name="share-document"),
    path("folders/<slug:folder_id>/", views.share_folder, name="share-folder"),
    path("<slug:share_id>/revoke/", views.revoke_share, name="revoke-share"),
]
