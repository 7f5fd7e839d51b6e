"""URLs that cancel and resume runs, and where services say that a job has ended, in the namespace ``workflows``."""

from django.urls import path

from workflows.engine import views

urlpatterns = [
    path("hooks/textract/", views.take_job_notice, name="take-job-notice"),
    path("workflows/<str:document_id>/<str:workflow_id>/cancel/", views.cancel_run, name="cancel-run"),
    path("workflows/<str:document_id>/<str:workflow_id>/resume/", views.resume_run, name="resume-run"),
]
