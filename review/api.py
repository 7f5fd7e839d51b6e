"""The API under ``/api/v1/``: every package's router, and the OpenAPI description at ``openapi.json``."""

from projects.web.api import new_api

api = new_api()
for prefix, package in (
    ("/models", "projects.models"),
    ("/projects", "projects.settings"),
    ("/projects", "projects.prompts"),
    ("/projects", "workflows.testsets"),
    ("/projects", "workflows.experiments"),
    ("/projects", "workflows.trials"),
    ("/projects", "workflows.exports"),
    ("/projects", "workflows.learning"),
    ("/projects", "workflows.learning.extractors"),
    ("/workflows", "workflows.definitions"),
    ("/webhooks", "workflows.publish"),
    ("/rulesets", "workflows.routing"),
    ("/api-keys", "projects.sites"),
    ("", "projects.accounts"),
    ("", "projects.audit"),
    ("", "review.audit"),
    ("/quality", "review.quality"),
    ("", "review.desk"),  # before the next router, which adds operations to one of its paths
    ("/reviews", "review.handovers"),
    ("/batches", "workflows.batches"),
    ("", "projects.schemas"),
    ("/entities", "projects.entities"),
    ("/locales", "projects.schemas.labels"),
    ("/cases", "review.cases"),
    ("/notifications", "review.notifications"),
    ("", "workflows.documents"),
    ("", "projects.folders"),
    ("", "projects.shares"),
    ("/policies", "projects.policies"),
    ("", "workflows.links"),
    ("", "workflows.intake"),
    ("/executions", "workflows.executions"),
    ("", "workflows.runs"),
    ("", "workflows.questions"),
    ("", "workflows.insight"),
    ("", "workflows.search"),
    ("", "workflows.operations"),
):
    api.add_router(prefix, f"{package}.api.router")

api.add_router("/mappings", "workflows.routing.api.mappings")

app_name = "api"
urlpatterns = api.urls[0]
