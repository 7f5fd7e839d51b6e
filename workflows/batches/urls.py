"""URLs of batches; named under ``workflows``."""

from django.urls import path

from workflows.batches.views import batches

urlpatterns = [
    path("batches/", batches.list_batches, name="list-batches"),
    path("batches/new/<str:project_id>/", batches.create_batch, name="create-batch"),
    path("batches/<slug:batch_id>/", batches.show_batch, name="show-batch"),
    path("batches/<slug:batch_id>/report.csv", batches.export_report, name="export-report"),
    path("batches/<slug:batch_id>/retry/", batches.retry_batch, name="retry-batch"),
    path("batches/<slug:batch_id>/continue/", batches.continue_batch, name="continue-batch"),
    path("batches/<slug:batch_id>/slots/", batches.change_slots, name="change-slots"),
    path("batches/<slug:batch_id>/cancel/", batches.cancel_batch, name="cancel-batch"),
]
