"""The API put together, under ``/api/v1/``: each package's router by its name, and its OpenAPI at ``openapi.json``."""

from projects.web.api import new_api

api = new_api()
for prefix, package in (
    ("/models", "projects.models"),
    ("/projects", "projects.settings"),
    ("/projects", "projects.prompts"),
    ("/projects", "workflows.testsets"),
    ("/projects", "workflows.experiments"),
    ("/projects", "workflows.exports"),
    ("/workflows", "workflows.definitions"),
    ("/webhooks", "workflows.publish"),
    ("/rulesets", "workflows.routing"),
    ("/api-keys", "projects.sites"),
    ("", "review.desk"),  # before the next, to whose list of one path it adds
    ("/reviews", "review.handovers"),
    ("/batches", "workflows.batches"),
    ("/entities", "projects.entities"),
    ("/cases", "review.cases"),
    ("/notifications", "review.notifications"),
    ("", "workflows.documents"),
    ("", "projects.folders"),
    ("", "projects.shares"),
    ("", "workflows.links"),
    ("", "workflows.intake"),
    ("/executions", "workflows.executions"),
    ("", "workflows.runs"),
    ("", "workflows.search"),
):
    api.add_router(prefix, f"{package}.api.router")

app_name = "api"
urlpatterns = api.urls[0]
