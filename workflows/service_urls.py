"""URLs of definitions, of the services that do the stages' work, and of what they cost, under ``/settings/``."""

from django.urls import path

from workflows.views import costs, definitions, providers

app_name = "services"
urlpatterns = [
    path("definitions/", definitions.list_definitions, name="list-definitions"),
    path("definitions/<str:definition_id>/", definitions.show_definition, name="show-definition"),
    path("definitions/<str:definition_id>/activate/", definitions.activate_definition, name="activate-definition"),
    path("definitions/<str:definition_id>/archive/", definitions.archive_definition, name="archive-definition"),
    path("services/", providers.list_providers, name="list-providers"),
    path("costs/", costs.show_costs, name="show-costs"),
    path("costs/<str:month>.csv", costs.export_costs, name="export-costs"),
    path("costs/projects/<str:project_id>/", costs.show_project_costs, name="show-project-costs"),
]
