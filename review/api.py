"""The API put together, under ``/api/v1/``: each app's router, and its OpenAPI at ``openapi.json``."""

from projects import api as ground
from review.handovers.api import router as questions
from workflows.api import router as documents
from workflows.batches.api import router as batches
from workflows.documents.reruns_api import router as reruns
from workflows.intake.unpacking_api import router as unpacking
from workflows.search.api import router as search

api = ground.new_api()
api.add_router("/projects", ground.router)
api.add_router("/reviews", questions)
api.add_router("/batches", batches)
api.add_router("", documents)
api.add_router("", reruns)
api.add_router("", search)
api.add_router("", unpacking)

app_name = "api"
urlpatterns = api.urls[0]
