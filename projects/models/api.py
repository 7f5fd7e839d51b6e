"""The API of a site's models: the catalogue, for admins' programs."""

from ninja import Router, Schema

from projects.models import queries as model_queries
from projects.models.queries import Entry
from projects.sites import access
from projects.web.api import FAILURES, ApiRequest

router = Router(tags=["models"])


class ModelShape(Schema):
    """Prices in USD per million tokens, as text; both "0": as the price list says. ``version``: 0 if it is built in.

    ``supports``: of images, json_schema and tools. ``takeover_below``: 0–1. ``sha256``: of what changes an answer.
    """

    id: str
    name: str
    provider: str
    model: str
    endpoint: str
    supports: list[str]
    context: int
    temperature: float
    most_tokens: int
    seconds: int
    retries: int
    at_a_time: int
    price_in: str
    price_out: str
    takeover: str
    takeover_below: float
    sha256: str
    version: int


class ModelList(Schema):
    items: list[ModelShape]


@router.get("", response={200: ModelList, **FAILURES}, operation_id="list_models", summary="List models")
def list_models(request: ApiRequest) -> ModelList:
    """Built-in models first, then the site's own by name. Requires ADMIN."""
    access.check_can_configure(request)
    return ModelList(items=[_shape(entry) for entry in model_queries.list_entries(request.site)])


@router.get("/{model_id}", response={200: ModelShape, **FAILURES}, operation_id="show_model", summary="Show a model")
def show_model(request: ApiRequest, model_id: str) -> ModelShape:
    """Addresses and keys of endpoints are in no answer. Requires ADMIN."""
    access.check_can_configure(request)
    return _shape(model_queries.get_entry(request.site, model_id))


def _shape(entry: Entry) -> ModelShape:
    stored = entry.spec.to_json()
    supports = [name for name in ("images", "json_schema", "tools") if stored.pop(name)]
    return ModelShape(**stored, supports=supports, sha256=entry.spec.sha256, version=entry.version)
