"""URLs of definitions, of the services that do the stages' work, and of what they cost, under ``/settings/``."""

from django.urls import path

from workflows.definitions import views as definition_views
from workflows.operations.views import costs
from workflows.providers import views as provider_views

app_name = "services"
urlpatterns = [
    path("definitions/", definition_views.list_definitions, name="list-definitions"),
    path("definitions/<str:definition_id>/", definition_views.show_definition, name="show-definition"),
    path("definitions/<str:definition_id>/activate/", definition_views.activate_definition, name="activate-definition"),
    path("definitions/<str:definition_id>/archive/", definition_views.archive_definition, name="archive-definition"),
    path("services/", provider_views.list_providers, name="list-providers"),
    path("costs/", costs.show_costs, name="show-costs"),
    path("costs/<str:month>.csv", costs.export_costs, name="export-costs"),
    path("costs/projects/<str:project_id>/", costs.show_project_costs, name="show-project-costs"),
]
