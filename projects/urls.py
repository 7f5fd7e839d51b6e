"""URLs of the projects app, under ``/projects/``."""

from django.urls import path

from projects import views

app_name = "projects"
urlpatterns = [
    path("", views.projects.list_projects, name="list-projects"),
    path("new/", views.projects.create_project, name="create-project"),
    path("<str:project_id>/", views.projects.show_project, name="show-project"),
    path("<str:project_id>/edit/", views.projects.edit_project, name="edit-project"),
]
