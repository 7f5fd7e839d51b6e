"""URLs of follow-ups, in the namespace ``workflows``."""

from django.urls import path

from workflows.publish import views

urlpatterns = [
    path("workflows/actions/", views.list_actions, name="list-actions"),
    path("settings/webhooks/", views.list_deliveries, name="list-deliveries"),
    path(
        "workflows/<str:document_id>/<str:workflow_id>/follow-up/",
        views.show_follow_up,
        name="show-follow-up",
    ),
    path(
        "workflows/<str:document_id>/<str:workflow_id>/follow-up/<int:number>/<str:kind>/retry/",
        views.retry_action,
        name="retry-action",
    ),
    path("documents/<str:document_id>/deliveries/", views.list_syncs, name="list-syncs"),
    path("documents/<str:document_id>/deliveries/<str:at>/again/", views.ask_sync_again, name="ask-sync-again"),
    path("queues/<str:queue_id>/", views.list_queued, name="list-queued"),
    path("queues/<str:queue_id>/<str:document_id>/<int:number>/done/", views.settle_document, name="settle-document"),
]
