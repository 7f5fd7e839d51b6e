"""URLs of prompts, under ``/projects/<project>/prompts/``."""

from django.urls import path

from projects.prompts.views import prompts as prompt_views
from projects.prompts.views import transfers as transfer_views

app_name = "prompts"
urlpatterns = [
    path("", prompt_views.list_prompts, name="list-prompts"),
    path("for/", prompt_views.choose_type, name="choose-type"),
    path("export/", transfer_views.export_prompts, name="export-prompts"),
    path("import/", transfer_views.import_prompts, name="import-prompts"),
    path("copy/", transfer_views.copy_prompts, name="copy-prompts"),
    path("<str:purpose>/", prompt_views.edit_prompt, name="edit-prompt"),
    path("<str:purpose>/check/", prompt_views.check_prompt, name="check-prompt"),
    path("<str:purpose>/versions/<int:prompt_version>/", prompt_views.show_version, name="show-version"),
    path("<str:purpose>/versions/<int:prompt_version>/export/", transfer_views.export_version, name="export-version"),
    path(
        "<str:purpose>/versions/<int:prompt_version>/production/", prompt_views.move_production, name="move-production"
    ),
    path("<str:purpose>/versions/<int:prompt_version>/candidate/", prompt_views.set_candidate, name="set-candidate"),
    path("<str:purpose>/proposal/confirm/", prompt_views.confirm_production, name="confirm-production"),
    path("<str:purpose>/proposal/decline/", prompt_views.decline_production, name="decline-production"),
]
