"""URLs of the services page, under ``/settings/``."""

from django.urls import path

from workflows.providers import views as provider_views

app_name = "services"
urlpatterns = [
    path("services/", provider_views.list_providers, name="list-providers"),
]
