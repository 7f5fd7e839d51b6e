"""The API put together, under ``/api/v1/``: each app's router, and its OpenAPI at ``openapi.json``."""

from projects import api as ground
from workflows.api import router as documents

api = ground.new_api()
api.add_router("/projects", ground.router)
api.add_router("", documents)

app_name = "api"
urlpatterns = api.urls[0]
