"""URLs of the projects app, under ``/projects/``."""

from django.urls import path

from projects import views

app_name = "projects"
urlpatterns = [
    path("", views.list_projects, name="list-projects"),
    path("new/", views.create_project, name="create-project"),
    path("<str:project_id>/", views.show_project, name="show-project"),
    path("<str:project_id>/edit/", views.edit_project, name="edit-project"),
]
