"""URLs of what follows a publication; named under ``workflows``."""

from django.urls import path

from workflows.publish.views import follow_ups, queued

urlpatterns = [
    path("workflows/actions/", follow_ups.list_actions, name="list-actions"),
    path(
        "workflows/<str:document_id>/<str:workflow_id>/follow-up/",
        follow_ups.show_follow_up,
        name="show-follow-up",
    ),
    path(
        "workflows/<str:document_id>/<str:workflow_id>/follow-up/<int:number>/<str:kind>/retry/",
        follow_ups.retry_action,
        name="retry-action",
    ),
    path("queues/<str:queue_id>/", queued.list_queued, name="list-queued"),
    path("queues/<str:queue_id>/<str:document_id>/<int:number>/done/", queued.settle_document, name="settle-document"),
]
