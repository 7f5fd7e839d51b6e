"""The API put together, under ``/api/v1/``: each app's router, and its OpenAPI at ``openapi.json``."""

from projects.entities.api import router as entities
from projects.folders.api import router as folders
from projects.models.api import router as models
from projects.prompts.api import router as prompts
from projects.settings.api import router as projects
from projects.web.api import new_api
from review.cases.api import router as cases
from review.handovers.api import router as questions
from workflows.batches.api import router as batches
from workflows.documents.api import router as documents
from workflows.experiments.api import router as experiments
from workflows.intake.api import router as intake
from workflows.runs.api import router as runs
from workflows.search.api import router as search
from workflows.testsets.api import router as testsets

api = new_api()
api.add_router("/models", models)
api.add_router("/projects", projects)
api.add_router("/projects", prompts)
api.add_router("/projects", testsets)
api.add_router("/projects", experiments)
api.add_router("/reviews", questions)
api.add_router("/batches", batches)
api.add_router("/entities", entities)
api.add_router("/cases", cases)
api.add_router("", documents)
api.add_router("", folders)
api.add_router("", intake)
api.add_router("", runs)
api.add_router("", search)

app_name = "api"
urlpatterns = api.urls[0]
