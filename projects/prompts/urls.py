"""URLs of prompts, under ``/projects/<project>/prompts/``."""

from django.urls import path

from projects.prompts.views import prompts as prompt_views

app_name = "prompts"
urlpatterns = [
    path("", prompt_views.list_prompts, name="list-prompts"),
    path("<str:purpose>/", prompt_views.edit_prompt, name="edit-prompt"),
    path("<str:purpose>/check/", prompt_views.check_prompt, name="check-prompt"),
    path("<str:purpose>/versions/<int:prompt_version>/", prompt_views.show_version, name="show-version"),
    path(
        "<str:purpose>/versions/<int:prompt_version>/production/", prompt_views.move_production, name="move-production"
    ),
    path("<str:purpose>/versions/<int:prompt_version>/candidate/", prompt_views.set_candidate, name="set-candidate"),
    path("<str:purpose>/proposal/confirm/", prompt_views.confirm_production, name="confirm-production"),
    path("<str:purpose>/proposal/decline/", prompt_views.decline_production, name="decline-production"),
]
