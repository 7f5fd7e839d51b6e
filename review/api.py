"""The API put together, under ``/api/v1/``: each app's router, and its OpenAPI at ``openapi.json``."""

from projects.settings.api import router as projects
from projects.web.api import new_api
from review.handovers.api import router as questions
from workflows.batches.api import router as batches
from workflows.documents.api import router as documents
from workflows.intake.api import router as intake
from workflows.runs.api import router as runs
from workflows.search.api import router as search

api = new_api()
api.add_router("/projects", projects)
api.add_router("/reviews", questions)
api.add_router("/batches", batches)
api.add_router("", documents)
api.add_router("", intake)
api.add_router("", runs)
api.add_router("", search)

app_name = "api"
urlpatterns = api.urls[0]
