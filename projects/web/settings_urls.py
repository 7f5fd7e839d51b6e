"""URLs of a site's settings, under ``/settings/``; sites themselves are the default site's."""

from django.urls import path

from projects.accounts import people_views
from projects.sites.views import api_keys as api_key_views
from projects.sites.views import groups as group_views
from projects.sites.views import sites as site_views
from projects.web import settings_page as settings_views

app_name = "settings"
urlpatterns = [
    path("", settings_views.show_settings, name="show-settings"),
    path("sites/", site_views.list_sites, name="list-sites"),
    path("sites/new/", site_views.create_site, name="create-site"),
    path("sites/<str:site_id>/", site_views.edit_site, name="edit-site"),
    path("people/", people_views.list_people, name="list-people"),
    path("people/<int:user_id>/", people_views.edit_person, name="edit-person"),
    path("groups/", group_views.edit_groups, name="edit-groups"),
    path("keys/", api_key_views.edit_keys, name="edit-keys"),
    path("keys/<str:mask>/revoke/", api_key_views.revoke_key, name="revoke-key"),
]
