"""URLs of file versions, re-runs and deletion, in the namespace ``workflows``."""

from django.urls import include, path

from workflows.documents.views import comparison, contents, removal, reruns, runs, work

_OF_A_RUN = [
    path("again/", reruns.show_reruns, name="show-reruns"),
    path("again/stage/", reruns.run_again, name="run-again"),
    path("again/analysis/", reruns.analyse_again, name="analyse-again"),
    path("choose/", comparison.choose_result, name="choose-result"),
]
_OF_A_DOCUMENT = [
    path("delete/", removal.delete_document, name="delete-document"),
    path("restore/", removal.restore_document, name="restore-document"),
    path("purge/", removal.purge_document, name="purge-document"),
    path("work/", work.show_work, name="show-work"),
    path("runs/", runs.list_document_runs, name="list-document-runs"),
    path("compare/", comparison.compare_runs, name="compare-runs"),
    path("contents/", contents.list_contents, name="list-contents"),
    path("contents/<str:at>/", contents.download_content, name="download-content"),
]
urlpatterns = [
    path("workflows/<str:document_id>/<str:workflow_id>/", include(_OF_A_RUN)),
    path("workflows/projects/<str:project_id>/documents/import/", reruns.import_documents, name="import-documents"),
    path("documents/<slug:document_id>/", include(_OF_A_DOCUMENT)),
]
