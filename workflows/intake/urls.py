"""URLs of what people upload; named under ``workflows``."""

from django.urls import path

from workflows.intake.views import unpack, upload

urlpatterns = [
    path("upload/", upload.choose_project, name="choose-upload-project"),
    path("workflows/projects/<str:project_id>/upload/", upload.upload, name="upload"),
    path("documents/<slug:document_id>/unpack-again/", unpack.unpack_again, name="unpack-again"),
]
