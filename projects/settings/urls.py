"""URLs of projects, under ``/projects/``."""

from django.urls import path

from projects.settings import views as project_views

app_name = "projects"
urlpatterns = [
    path("", project_views.list_projects, name="list-projects"),
    path("new/", project_views.create_project, name="create-project"),
    path("<str:project_id>/", project_views.show_project, name="show-project"),
    path("<str:project_id>/edit/", project_views.edit_project, name="edit-project"),
]
