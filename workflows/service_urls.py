"""URLs of the services that do the stages' work, and of what they cost, under ``/settings/``."""

from django.urls import path

from workflows.views import costs, providers

app_name = "services"
urlpatterns = [
    path("services/", providers.list_providers, name="list-providers"),
    path("costs/", costs.show_costs, name="show-costs"),
    path("costs/<str:month>.csv", costs.export_costs, name="export-costs"),
    path("costs/projects/<str:project_id>/", costs.show_project_costs, name="show-project-costs"),
]
