"""URLs of batches, in the namespace ``workflows``."""

from django.urls import path

from workflows.batches import views

urlpatterns = [
    path("batches/", views.list_batches, name="list-batches"),
    path("batches/new/<str:project_id>/", views.create_batch, name="create-batch"),
    path("batches/<slug:batch_id>/", views.show_batch, name="show-batch"),
    path("batches/<slug:batch_id>/report.csv", views.export_report, name="export-report"),
    path("batches/<slug:batch_id>/retry/", views.retry_batch, name="retry-batch"),
    path("batches/<slug:batch_id>/continue/", views.continue_batch, name="continue-batch"),
    path("batches/<slug:batch_id>/slots/", views.change_slots, name="change-slots"),
    path("batches/<slug:batch_id>/cancel/", views.cancel_batch, name="cancel-batch"),
]
