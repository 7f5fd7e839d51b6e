"""URLs that steer a run; named under ``workflows``."""

from django.urls import path

from workflows.engine import views

urlpatterns = [
    path("workflows/<str:document_id>/<str:workflow_id>/cancel/", views.cancel_run, name="cancel-run"),
    path("workflows/<str:document_id>/<str:workflow_id>/resume/", views.resume_run, name="resume-run"),
]
