"""URLs of runs, documents and health."""

from django.urls import path

from workflows.views import (
    contents,
    followups,
    health,
    overview,
    pages,
    queued,
    removals,
    runs,
    segments,
    uploads,
)

app_name = "workflows"
urlpatterns = [
    path("", overview.overview, name="overview"),
    path("workflows/", runs.list_runs, name="list-runs"),
    path("workflows/actions/", followups.list_actions, name="list-actions"),
    path("workflows/projects/<str:project_id>/documents/", overview.list_documents, name="list-documents"),
    path("workflows/projects/<str:project_id>/upload/", uploads.upload, name="upload"),
    # Slugs only: these parts become S3 keys, where a dot or a slash could mean another document.
    path("workflows/<slug:project_id>/<slug:document_id>/pages/<int:index>.png", pages.page_image, name="page-image"),
    path("workflows/<str:document_id>/", runs.newest_run, name="newest-run"),
    path("workflows/<str:document_id>/<str:workflow_id>/", runs.show_run, name="show-run"),
    path("workflows/<str:document_id>/<str:workflow_id>/poll/", runs.poll_run, name="poll-run"),
    path("workflows/<str:document_id>/<str:workflow_id>/lineage/", runs.show_lineage, name="show-lineage"),
    path("workflows/<str:document_id>/<str:workflow_id>/result/", runs.show_result, name="show-result"),
    path(
        "workflows/<str:document_id>/<str:workflow_id>/follow-up/",
        followups.show_follow_up,
        name="show-follow-up",
    ),
    path(
        "workflows/<str:document_id>/<str:workflow_id>/follow-up/<int:number>/<str:kind>/retry/",
        followups.retry_action,
        name="retry-action",
    ),
    path("queues/<str:queue_id>/", queued.list_queued, name="list-queued"),
    path("queues/<str:queue_id>/<str:document_id>/<int:number>/done/", queued.settle_document, name="settle-document"),
    path(
        "workflows/<slug:document_id>/<slug:workflow_id>/segments/<int:index>/",
        segments.show_segment,
        name="show-segment",
    ),
    path("documents/<slug:document_id>/delete/", removals.delete_document, name="delete-document"),
    path("documents/<slug:document_id>/restore/", removals.restore_document, name="restore-document"),
    path("documents/<slug:document_id>/purge/", removals.purge_document, name="purge-document"),
    path("documents/<slug:document_id>/runs/", contents.list_document_runs, name="list-document-runs"),
    path("documents/<slug:document_id>/contents/", contents.list_contents, name="list-contents"),
    path("documents/<slug:document_id>/contents/<str:at>/", contents.download_content, name="download-content"),
    path("healthz", health.is_up, name="healthz"),
    path("readyz", health.is_ready, name="readyz"),
    path("metrics", health.metrics, name="metrics"),
]
