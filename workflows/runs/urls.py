"""URLs of runs and their pages, in the namespace ``workflows``."""

from django.urls import path

from workflows.runs.views import about, overview, pages, project_graph, results, reviews, run_page, runs

urlpatterns = [
    path("", overview.overview, name="overview"),
    path("workflows/", runs.list_runs, name="list-runs"),
    path("workflows/projects/<str:project_id>/documents/", overview.list_documents, name="list-documents"),
    path(
        "workflows/projects/<str:project_id>/graph/",
        project_graph.show_project_graph,
        name="show-project-graph",
    ),
    # Slugs only: these parts become S3 keys, where a dot or a slash could mean another document.
    path("workflows/<slug:project_id>/<slug:document_id>/pages/<int:index>.png", pages.page_image, name="page-image"),
    path("workflows/<str:document_id>/", runs.newest_run, name="newest-run"),
    path("workflows/<str:document_id>/<str:workflow_id>/", run_page.show_run, name="show-run"),
    path("workflows/<str:document_id>/<str:workflow_id>/poll/", run_page.poll_run, name="poll-run"),
    path("workflows/<str:document_id>/<str:workflow_id>/history/", about.show_history, name="show-history"),
    path("workflows/<str:document_id>/<str:workflow_id>/lineage/", runs.show_lineage, name="show-lineage"),
    path("workflows/<str:document_id>/<str:workflow_id>/review/", reviews.open_review, name="open-review"),
    path("workflows/<str:document_id>/<str:workflow_id>/result/", results.show_result, name="show-result"),
    path("workflows/<str:document_id>/<str:workflow_id>/result/personal/", results.show_personal, name="show-personal"),
    path(
        "workflows/<slug:document_id>/<slug:workflow_id>/result/<slug:field>.csv",
        results.export_table,
        name="export-table",
    ),
    path(
        "workflows/<slug:document_id>/<slug:workflow_id>/result/<slug:field>.xlsx",
        results.export_workbook,
        name="export-workbook",
    ),
    path("workflows/<slug:document_id>/<slug:workflow_id>/models/", results.show_model_calls, name="show-model-calls"),
    path("workflows/<slug:document_id>/<slug:workflow_id>/about/", about.show_about, name="show-about"),
    path(
        "workflows/<slug:document_id>/<slug:workflow_id>/segments/<int:index>/",
        pages.show_segment,
        name="show-segment",
    ),
]
