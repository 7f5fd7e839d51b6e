"""URLs of a project's exports, in the namespace ``workflows``."""

from django.urls import path

from workflows.exports import views

_HERE = "workflows/projects/<str:project_id>/exports/"
urlpatterns = [
    path(_HERE, views.list_exports, name="list-exports"),
    path(f"{_HERE}schedules/", views.create_schedule, name="create-export-schedule"),
    path(f"{_HERE}schedules/<str:schedule_id>/delete/", views.delete_schedule, name="delete-export-schedule"),
    path(f"{_HERE}<str:export_id>/files/<int:index>/", views.download_export, name="download-export"),
]
