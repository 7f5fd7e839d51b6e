"""URLs of a site's settings, under ``/settings/``; sites are managed on the default site."""

from django.urls import path

from projects.accounts import access_views, people_views
from projects.sites import views as api_key_views
from projects.web import settings_page as settings_views

app_name = "settings"
urlpatterns = [
    path("", settings_views.show_settings, name="show-settings"),
    path("numbers/", settings_views.count_settings, name="count-settings"),
    path("sites/", api_key_views.list_sites, name="list-sites"),
    path("sites/new/", api_key_views.create_site, name="create-site"),
    path("sites/<str:site_id>/", api_key_views.edit_site, name="edit-site"),
    path("people/", people_views.list_people, name="list-people"),
    path("people/<int:user_id>/", people_views.edit_person, name="edit-person"),
    path("people/requests/<int:user_id>/", access_views.answer_access, name="answer-access"),
    path("groups/", api_key_views.edit_groups, name="edit-groups"),
    path("keys/", api_key_views.edit_keys, name="edit-keys"),
    path("keys/<str:mask>/revoke/", api_key_views.revoke_key, name="revoke-key"),
    path("tokens/", api_key_views.edit_tokens, name="edit-tokens"),
    path("tokens/<str:mask>/revoke/", api_key_views.revoke_token, name="revoke-token"),
]
