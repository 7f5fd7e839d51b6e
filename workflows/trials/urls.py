"""URLs of trials, beside those of a project's prompts; named under ``workflows``."""

from django.urls import path

from workflows.trials import views

urlpatterns = [
    path("projects/<str:project_id>/prompts/<str:purpose>/try/", views.choose_sample, name="choose-sample"),
    path("projects/<str:project_id>/prompts/<str:purpose>/try/start/", views.start_trial, name="start-trial"),
    path("projects/<str:project_id>/prompts/<str:purpose>/try/<str:trial_id>/", views.show_trial, name="show-trial"),
]
