"""URLs of a document's versions, runs and removal; named under ``workflows``."""

from django.urls import path

from workflows.documents import views
from workflows.links import publication_views

urlpatterns = [
    path("workflows/<str:document_id>/<str:workflow_id>/again/", views.show_reruns, name="show-reruns"),
    path("workflows/<str:document_id>/<str:workflow_id>/again/stage/", views.run_again, name="run-again"),
    path("workflows/<str:document_id>/<str:workflow_id>/again/analysis/", views.analyse_again, name="analyse-again"),
    path("workflows/<str:document_id>/<str:workflow_id>/choose/", views.choose_result, name="choose-result"),
    path("workflows/projects/<str:project_id>/documents/import/", views.import_documents, name="import-documents"),
    path("documents/<slug:document_id>/delete/", views.delete_document, name="delete-document"),
    path("documents/<slug:document_id>/restore/", views.restore_document, name="restore-document"),
    path("documents/<slug:document_id>/purge/", views.purge_document, name="purge-document"),
    path(
        "documents/<slug:document_id>/publication/",
        publication_views.change_publication,
        name="change-publication",
    ),
    path("documents/<slug:document_id>/work/", views.show_work, name="show-work"),
    path("documents/<slug:document_id>/runs/", views.list_document_runs, name="list-document-runs"),
    path("documents/<slug:document_id>/compare/", views.compare_runs, name="compare-runs"),
    path("documents/<slug:document_id>/contents/", views.list_contents, name="list-contents"),
    path("documents/<slug:document_id>/contents/<str:at>/", views.download_content, name="download-content"),
]
