"""URLs of queue settings, under ``/settings/queues/``."""

from django.urls import path

from projects.queues import views as queue_views

app_name = "queues"
urlpatterns = [
    path("", queue_views.list_queues, name="list-queues"),
    path("new/", queue_views.create_queue, name="create-queue"),
    path("<str:queue_id>/", queue_views.edit_queue, name="edit-queue"),
    path("<str:queue_id>/archive/", queue_views.archive_queue, name="archive-queue"),
    path("<str:queue_id>/restore/", queue_views.restore_queue, name="restore-queue"),
]
