"""URLs of the access policy, under ``/settings/policies/``."""

from django.urls import path

from projects.policies import views

app_name = "policies"
urlpatterns = [
    path("", views.list_versions, name="list-versions"),
    path("deactivate/", views.deactivate_policy, name="deactivate-policy"),
    path("<int:policy_version>/", views.show_version, name="show-version"),
    path("<int:policy_version>/try/", views.try_version, name="try-version"),
    path("<int:policy_version>/activate/", views.activate_version, name="activate-version"),
]
