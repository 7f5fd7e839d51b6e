"""URLs of uploads, in the namespace ``workflows``."""

from django.urls import path

from workflows.intake import views

urlpatterns = [
    path("upload/", views.choose_project, name="choose-upload-project"),
    path("workflows/projects/<str:project_id>/upload/", views.upload, name="upload"),
    path("workflows/projects/<str:project_id>/web-page/", views.request_web_page, name="request-web-page"),
    path("documents/<slug:document_id>/unpack-again/", views.unpack_again, name="unpack-again"),
]
