"""Models for tests: values, and rows that an admin made."""

from typing import Any

from projects.audit.events import Actor
from projects.models import actions as model_actions
from projects.models.spec import OPENAI, ModelSpec

ADA = Actor("1", "Ada Admin")
BEN = Actor("2", "Ben Ito")
SPEC = ModelSpec("local", "Local model", OPENAI, "some-model", endpoint="local", json_schema=True)


def add_model(model_id: str = "local", *, site: str = "default", **changes: Any) -> ModelSpec:
    """A row of the catalogue, made by Ada."""
    spec = ModelSpec(**{**vars(SPEC), "id": model_id, "name": changes.pop("name", f"Model {model_id}"), **changes})
    model_actions.create_model(site, spec, by=ADA)
    return spec
