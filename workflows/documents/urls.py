"""URLs of a document's versions, runs and removal; named under ``workflows``."""

from django.urls import path

from workflows.documents.views import compare, removals, reruns, runs, versions, work

urlpatterns = [
    path("workflows/<str:document_id>/<str:workflow_id>/again/", reruns.show_reruns, name="show-reruns"),
    path("workflows/<str:document_id>/<str:workflow_id>/again/stage/", reruns.run_again, name="run-again"),
    path("workflows/<str:document_id>/<str:workflow_id>/again/analysis/", reruns.analyse_again, name="analyse-again"),
    path("workflows/<str:document_id>/<str:workflow_id>/choose/", compare.choose_result, name="choose-result"),
    path("documents/<slug:document_id>/delete/", removals.delete_document, name="delete-document"),
    path("documents/<slug:document_id>/restore/", removals.restore_document, name="restore-document"),
    path("documents/<slug:document_id>/purge/", removals.purge_document, name="purge-document"),
    path("documents/<slug:document_id>/work/", work.show_work, name="show-work"),
    path("documents/<slug:document_id>/runs/", runs.list_document_runs, name="list-document-runs"),
    path("documents/<slug:document_id>/compare/", compare.compare_runs, name="compare-runs"),
    path("documents/<slug:document_id>/contents/", versions.list_contents, name="list-contents"),
    path("documents/<slug:document_id>/contents/<str:at>/", versions.download_content, name="download-content"),
]
