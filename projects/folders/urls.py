"""URLs of folders, under ``/documents/folders/``."""

from django.urls import path

from projects.folders import views

app_name = "folders"
urlpatterns = [
    path("", views.show_folder, name="list-folders"),
    path("create/", views.create_folder, name="create-folder"),
    path("move/", views.move_entries, name="move-entries"),
    path("documents/<slug:document_id>/", views.change_path, name="change-path"),
    path("<slug:folder_id>/", views.show_folder, name="show-folder"),
    path("<slug:folder_id>/edit/", views.edit_folder, name="edit-folder"),
    path("<slug:folder_id>/delete/", views.delete_folder, name="delete-folder"),
]
