"""Built-in models of every site: those on Bedrock named by the deployment, and the embedded one."""

from collections.abc import Mapping
from decimal import Decimal
from fnmatch import fnmatchcase

from django.conf import settings

from config.laptop import embedded_model
from config.phrase import Phrase
from projects.models.spec import BEDROCK, EMBEDDED, ModelSpec

FIRST, STRONG = "bedrock", "bedrock-strong"


def list_builtin_models() -> tuple[ModelSpec, ...]:
    strong = _bedrock_model(STRONG, Phrase("Bedrock, stronger"), settings.BEDROCK_STRONG_MODEL)
    first = _bedrock_model(
        FIRST,
        "Bedrock",
        settings.BEDROCK_MODEL,
        takeover=STRONG if settings.BEDROCK_STRONG_MODEL else "",
    )
    return (first, *([strong] if settings.BEDROCK_STRONG_MODEL else []), EMBEDDED_MODEL)


EMBEDDED_MODEL = ModelSpec(
    EMBEDDED,
    Phrase("SmolLM2 135M (embedded)"),
    EMBEDDED,
    "SmolLM2-135M-Instruct",
    json_schema=True,
    context=embedded_model.CONTEXT,
    most_tokens=800,
    seconds=90,
    retries=1,
    at_a_time=1,
)


def _bedrock_model(model_id: str, name: str, model: str, takeover: str = "") -> ModelSpec:
    price = _price_of(model)
    return ModelSpec(
        model_id,
        name,
        BEDROCK,
        model,
        images=True,
        tools=True,
        context=128_000,
        most_tokens=4000,
        seconds=int(settings.PROVIDER_TIMEOUT_SECONDS),
        retries=int(settings.PROVIDER_ATTEMPTS) - 1,
        at_a_time=8,
        price_in=Decimal(str(price.get("million_in", 0))),
        price_out=Decimal(str(price.get("million_out", 0))),
        takeover=takeover,
        takeover_below=settings.TAKEOVER_PERCENT / 100,
    )


def _price_of(model: str) -> Mapping[str, float]:
    """Return the price from the deployment's price list."""
    found = settings.PRICES.get(BEDROCK, {})
    return next((price for pattern, price in found.items() if fnmatchcase(model, pattern)), {})
