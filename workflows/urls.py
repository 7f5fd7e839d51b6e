"""URLs of runs, documents and health."""

from django.urls import path

from workflows.batches.views import batches
from workflows.documents.views import compare, removals, reruns, versions
from workflows.engine import views as engine_views
from workflows.intake.views import unpack, upload
from workflows.learning.views import calibrations
from workflows.operations.views import health
from workflows.publish.views import follow_ups, queued
from workflows.questions import views as question_views
from workflows.runs.views import about, history, overview, pages, runs, segments
from workflows.search import views as search_views

app_name = "workflows"
urlpatterns = [
    path("", overview.overview, name="overview"),
    path("search/", search_views.search, name="search"),
    path("workflows/", runs.list_runs, name="list-runs"),
    path("workflows/actions/", follow_ups.list_actions, name="list-actions"),
    path("workflows/projects/<str:project_id>/documents/", overview.list_documents, name="list-documents"),
    path("workflows/projects/<str:project_id>/upload/", upload.upload, name="upload"),
    path("workflows/projects/<str:project_id>/confidence/", calibrations.show_calibration, name="show-calibration"),
    path(
        "workflows/projects/<str:project_id>/confidence/propose/",
        calibrations.propose_calibration,
        name="propose-calibration",
    ),
    path(
        "workflows/projects/<str:project_id>/confidence/<int:version>/activate/",
        calibrations.activate_calibration,
        name="activate-calibration",
    ),
    # Slugs only: these parts become S3 keys, where a dot or a slash could mean another document.
    path("workflows/<slug:project_id>/<slug:document_id>/pages/<int:index>.png", pages.page_image, name="page-image"),
    path("batches/", batches.list_batches, name="list-batches"),
    path("batches/new/<str:project_id>/", batches.create_batch, name="create-batch"),
    path("batches/<slug:batch_id>/", batches.show_batch, name="show-batch"),
    path("batches/<slug:batch_id>/report.csv", batches.export_report, name="export-report"),
    path("batches/<slug:batch_id>/retry/", batches.retry_batch, name="retry-batch"),
    path("batches/<slug:batch_id>/continue/", batches.continue_batch, name="continue-batch"),
    path("batches/<slug:batch_id>/slots/", batches.change_slots, name="change-slots"),
    path("batches/<slug:batch_id>/cancel/", batches.cancel_batch, name="cancel-batch"),
    path("workflows/<str:document_id>/", runs.newest_run, name="newest-run"),
    path("workflows/<str:document_id>/<str:workflow_id>/", runs.show_run, name="show-run"),
    path("workflows/<str:document_id>/<str:workflow_id>/poll/", runs.poll_run, name="poll-run"),
    path("workflows/<str:document_id>/<str:workflow_id>/cancel/", engine_views.cancel_run, name="cancel-run"),
    path("workflows/<str:document_id>/<str:workflow_id>/resume/", engine_views.resume_run, name="resume-run"),
    path("workflows/<str:document_id>/<str:workflow_id>/again/", reruns.show_reruns, name="show-reruns"),
    path("workflows/<str:document_id>/<str:workflow_id>/again/stage/", reruns.run_again, name="run-again"),
    path("workflows/<str:document_id>/<str:workflow_id>/again/analysis/", reruns.analyse_again, name="analyse-again"),
    path("workflows/<str:document_id>/<str:workflow_id>/choose/", compare.choose_result, name="choose-result"),
    path("workflows/<str:document_id>/<str:workflow_id>/history/", history.show_history, name="show-history"),
    path("workflows/<str:document_id>/<str:workflow_id>/lineage/", runs.show_lineage, name="show-lineage"),
    path("workflows/<str:document_id>/<str:workflow_id>/result/", runs.show_result, name="show-result"),
    path("workflows/<slug:document_id>/<slug:workflow_id>/about/", about.show_about, name="show-about"),
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
    path(
        "workflows/<slug:document_id>/<slug:workflow_id>/segments/<int:index>/",
        segments.show_segment,
        name="show-segment",
    ),
    path(
        "workflows/<slug:document_id>/<slug:workflow_id>/segments/<int:index>/questions/",
        question_views.show_questions,
        name="show-questions",
    ),
    path(
        "workflows/<slug:document_id>/<slug:workflow_id>/segments/<int:index>/questions/ask/",
        question_views.ask_question,
        name="ask-question",
    ),
    path(
        "workflows/<slug:document_id>/<slug:workflow_id>/segments/<int:index>/questions/<int:number>/again/",
        question_views.ask_question_again,
        name="ask-question-again",
    ),
    path(
        "workflows/<slug:document_id>/<slug:workflow_id>/segments/<int:index>/questions/<int:number>/delete/",
        question_views.delete_question,
        name="delete-question",
    ),
    path("documents/<slug:document_id>/delete/", removals.delete_document, name="delete-document"),
    path("documents/<slug:document_id>/restore/", removals.restore_document, name="restore-document"),
    path("documents/<slug:document_id>/purge/", removals.purge_document, name="purge-document"),
    path("documents/<slug:document_id>/unpack-again/", unpack.unpack_again, name="unpack-again"),
    path("documents/<slug:document_id>/runs/", versions.list_document_runs, name="list-document-runs"),
    path("documents/<slug:document_id>/compare/", compare.compare_runs, name="compare-runs"),
    path("documents/<slug:document_id>/contents/", versions.list_contents, name="list-contents"),
    path("documents/<slug:document_id>/contents/<str:at>/", versions.download_content, name="download-content"),
    path("healthz", health.is_up, name="healthz"),
    path("readyz", health.is_ready, name="readyz"),
    path("metrics", health.metrics, name="metrics"),
]
