"""URLs of a site's settings, under ``/settings/``; sites themselves are the default site's."""

from django.urls import path

from projects import views

app_name = "settings"
urlpatterns = [
    path("", views.settings.show_settings, name="show-settings"),
    path("sites/", views.sites.list_sites, name="list-sites"),
    path("sites/new/", views.sites.create_site, name="create-site"),
    path("sites/<str:site_id>/", views.sites.edit_site, name="edit-site"),
    path("groups/", views.groups.edit_groups, name="edit-groups"),
    path("keys/", views.api_keys.edit_keys, name="edit-keys"),
    path("keys/<str:mask>/revoke/", views.api_keys.revoke_key, name="revoke-key"),
]
