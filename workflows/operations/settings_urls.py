"""URLs of costs, operations and dead letters, under ``/settings/``."""

from django.urls import path

from workflows.operations.views import costs, dead_letters, operations

app_name = "operations"
urlpatterns = [
    path("costs/", costs.show_costs, name="show-costs"),
    path("costs/<str:month>.csv", costs.export_costs, name="export-costs"),
    path("costs/projects/<str:project_id>/", costs.show_project_costs, name="show-project-costs"),
    path("operations/", operations.show_operations, name="show-operations"),
    path("operations/repair/", operations.hurry_repair, name="hurry-repair"),
    path("operations/sweep/", operations.order_sweep, name="order-sweep"),
    path("operations/connections/<slug:provider>/retry/", operations.retry_provider, name="retry-provider"),
    path("failed/", dead_letters.list_dead_letters, name="list-dead-letters"),
    path("failed/<slug:queue>/<str:message_id>/", dead_letters.settle_dead_letter, name="settle-dead-letter"),
]
