"""URLs of prompts, under ``/projects/<project>/prompts/``."""

from django.urls import path

from projects.prompts import views

app_name = "prompts"
urlpatterns = [
    path("", views.list_prompts, name="list-prompts"),
    path("for/", views.choose_type, name="choose-type"),
    path("export/", views.export_prompts, name="export-prompts"),
    path("import/", views.import_prompts, name="import-prompts"),
    path("copy/", views.copy_prompts, name="copy-prompts"),
    path("<str:purpose>/", views.edit_prompt, name="edit-prompt"),
    path("<str:purpose>/check/", views.check_prompt, name="check-prompt"),
    path("<str:purpose>/versions/<int:prompt_version>/", views.show_version, name="show-version"),
    path("<str:purpose>/versions/<int:prompt_version>/export/", views.export_version, name="export-version"),
    path("<str:purpose>/versions/<int:prompt_version>/production/", views.move_production, name="move-production"),
    path("<str:purpose>/versions/<int:prompt_version>/candidate/", views.set_candidate, name="set-candidate"),
    path("<str:purpose>/proposal/confirm/", views.confirm_production, name="confirm-production"),
    path("<str:purpose>/proposal/decline/", views.decline_production, name="decline-production"),
]
