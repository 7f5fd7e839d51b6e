"""URLs of trials, beside those of a project's prompts, and of pages that OCR models read; named under ``workflows``."""

from django.urls import path

from workflows.trials.views import readings, trials

urlpatterns = [
    path("read-page/", readings.choose_project, name="choose-reading-project"),
    path("projects/<str:project_id>/read-page/", readings.choose_readers, name="choose-readers"),
    path("projects/<str:project_id>/read-page/start/", readings.start_reading, name="start-reading"),
    path("projects/<str:project_id>/read-page/<str:trial_id>/", readings.show_reading, name="show-reading"),
    path("projects/<str:project_id>/prompts/<str:purpose>/try/", trials.choose_sample, name="choose-sample"),
    path("projects/<str:project_id>/prompts/<str:purpose>/try/upload/", trials.upload_sample, name="upload-sample"),
    path("projects/<str:project_id>/prompts/<str:purpose>/try/start/", trials.start_trial, name="start-trial"),
    path("projects/<str:project_id>/prompts/<str:purpose>/try/<str:trial_id>/", trials.show_trial, name="show-trial"),
]
