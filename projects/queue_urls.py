"""URLs of queues as they are set up, under ``/settings/queues/``."""

from django.urls import path

from projects.views import queues

app_name = "queues"
urlpatterns = [
    path("", queues.list_queues, name="list-queues"),
    path("new/", queues.create_queue, name="create-queue"),
    path("<str:queue_id>/", queues.edit_queue, name="edit-queue"),
    path("<str:queue_id>/archive/", queues.archive_queue, name="archive-queue"),
    path("<str:queue_id>/restore/", queues.restore_queue, name="restore-queue"),
]
