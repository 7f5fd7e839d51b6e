"""URLs of trials, below a project's prompts, and of readings by OCR models, in the namespace ``workflows``."""

from django.urls import path

from workflows.trials import views

urlpatterns = [
    path("read-page/", views.choose_project, name="choose-reading-project"),
    path("projects/<str:project_id>/read-page/", views.choose_readers, name="choose-readers"),
    path("projects/<str:project_id>/read-page/start/", views.start_reading, name="start-reading"),
    path("projects/<str:project_id>/read-page/<str:trial_id>/", views.show_reading, name="show-reading"),
    path("projects/<str:project_id>/prompts/<str:purpose>/try/", views.choose_sample, name="choose-sample"),
    path("projects/<str:project_id>/prompts/<str:purpose>/try/upload/", views.upload_sample, name="upload-sample"),
    path("projects/<str:project_id>/prompts/<str:purpose>/try/start/", views.start_trial, name="start-trial"),
    path("projects/<str:project_id>/prompts/<str:purpose>/try/<str:trial_id>/", views.show_trial, name="show-trial"),
]
