"""The API of a site's model catalogue, for admins."""

from ninja import Router, Schema

from config.errors import NotFound
from projects.models import queries as model_queries
from projects.models.queries import Entry
from projects.models.spec import ModelSpec, OcrSpec
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


class OcrModelShape(Schema):
    """``least_score``: 0–1. ``price_page``: USD, as text; "0": as the price list says. ``version``: 0 if built in.

    What the provider does not heed is null. ``sha256``: of what changes a reading.
    """

    id: str
    name: str
    provider: str
    endpoint: str | None = None
    languages: list[str] | None = None
    orientation: str | None = None
    layout: str | None = None
    dpi: int | None = None
    pages: str | None = None
    least_score: float
    features: list[str] | None = None
    price_page: str | None = None
    sha256: str
    version: int


class OcrModelList(Schema):
    items: list[OcrModelShape]


@router.get("", response={200: ModelList, **FAILURES}, operation_id="list_models", summary="List models")
def list_models(request: ApiRequest) -> ModelList:
    """Language models: built-in ones first, then the site's own by name. Requires ADMIN."""
    access.check_can_configure(request)
    return ModelList(items=[_shape(entry) for entry in model_queries.list_entries(request.site).language])


@router.get("/ocr", response={200: OcrModelList, **FAILURES}, operation_id="list_ocr_models", summary="List OCR models")
def list_ocr_models(request: ApiRequest) -> OcrModelList:
    """Built-in OCR models first, then the site's own by name. Requires ADMIN."""
    access.check_can_configure(request)
    return OcrModelList(items=[_ocr_shape(entry) for entry in model_queries.list_entries(request.site).ocr])


@router.get(
    "/ocr/{model_id}",
    response={200: OcrModelShape, **FAILURES},
    operation_id="show_ocr_model",
    summary="Show an OCR model",
)
def show_ocr_model(request: ApiRequest, model_id: str) -> OcrModelShape:
    """Never returns addresses and keys of endpoints. Requires ADMIN."""
    access.check_can_configure(request)
    entry = model_queries.get_entry(request.site, model_id)
    if not isinstance(entry.spec, OcrSpec):
        raise NotFound(model_queries.MISSING)
    return _ocr_shape(Entry(entry.spec, entry.version))


@router.get("/{model_id}", response={200: ModelShape, **FAILURES}, operation_id="show_model", summary="Show a model")
def show_model(request: ApiRequest, model_id: str) -> ModelShape:
    """Never returns addresses and keys of endpoints. Requires ADMIN."""
    access.check_can_configure(request)
    entry = model_queries.get_entry(request.site, model_id)
    if not isinstance(entry.spec, ModelSpec):
        raise NotFound(model_queries.MISSING)
    return _shape(Entry(entry.spec, entry.version))


def _shape(entry: Entry[ModelSpec]) -> ModelShape:
    stored = entry.spec.to_json()
    supports = [name for name in ("images", "json_schema", "tools") if stored.pop(name)]
    return ModelShape(**stored, supports=supports, sha256=entry.spec.sha256, version=entry.version)


def _ocr_shape(entry: Entry[OcrSpec]) -> OcrModelShape:
    spec = entry.spec
    return OcrModelShape(**spec.to_json(), sha256=spec.sha256, version=entry.version)
