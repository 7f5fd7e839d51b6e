"""A language model as a value: what it is called, what it can do, how it is asked and what it costs."""

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

BEDROCK, OPENAI, EMBEDDED = "bedrock", "openai", "embedded"
PROVIDERS: Mapping[str, str] = {
    BEDROCK: "Amazon Bedrock",
    OPENAI: "OpenAI-compatible endpoint",
    EMBEDDED: "Embedded model",
}
_MILLION = 1_000_000
# What changes an answer. Prices, time-outs and retries do not.
_DECIDING = (
    "provider",
    "model",
    "endpoint",
    "images",
    "tools",
    "json_schema",
    "context",
    "temperature",
    "most_tokens",
)


@dataclass(frozen=True)
class ModelSpec:
    """``id``: its name in the site's catalogue and in addresses; ``model``: what its provider calls it.

    ``endpoint``: the name of one that the deployer binds to an address and a key; neither is ever part of this.
    ``images``, ``tools``, ``json_schema``: what it takes. ``context``: tokens of a request and its answer.
    ``most_tokens``: of an answer. ``seconds``: of one request; ``retries``: after a transient error; ``at_a_time``:
    requests under way from one machine. ``price_in``, ``price_out``: USD a million tokens; both 0: as the desk's
    price list says. ``takeover``: the id of the model that is asked where this one is less sure than
    ``takeover_below`` (0–1); empty for none.
    """

    id: str
    name: str
    provider: str
    model: str
    endpoint: str = ""
    images: bool = False
    tools: bool = False
    json_schema: bool = False
    context: int = 8192
    temperature: float = 0.0
    most_tokens: int = 2000
    seconds: int = 60
    retries: int = 2
    at_a_time: int = 2
    price_in: Decimal = Decimal(0)
    price_out: Decimal = Decimal(0)
    takeover: str = ""
    takeover_below: float = 0.7  # seed 001

    @property
    def sha256(self) -> str:
        """Of what changes an answer: requests that differ in nothing else may share one."""
        return hashlib.sha256(json.dumps([getattr(self, name) for name in _DECIDING]).encode()).hexdigest()

    @property
    def service(self) -> str:
        """Whom a request goes to, as usage and the circuit breaker name it: endpoints fail apart from each other."""
        return f"{OPENAI}-{self.endpoint}" if self.provider == OPENAI else self.provider

    @property
    def has_price(self) -> bool:
        return bool(self.price_in or self.price_out)

    def to_json(self) -> dict[str, Any]:
        """Prices as text, since a float would not keep them.

        >>> ModelSpec("a", "A", "openai", "m", price_in=Decimal("0.06")).to_json()["price_in"]
        '0.06'
        """
        return {name: str(value) if isinstance(value, Decimal) else value for name, value in vars(self).items()}


_NAMES = frozenset(field.name for field in dataclasses.fields(ModelSpec))
_NUMBERS: Mapping[str, Any] = {
    **dict.fromkeys(("context", "most_tokens", "seconds", "retries", "at_a_time"), int),
    **dict.fromkeys(("temperature", "takeover_below"), float),
    **dict.fromkeys(("price_in", "price_out"), lambda stored: Decimal(str(stored))),
}


def spec_from(stored: Mapping[str, Any]) -> ModelSpec:
    """The inverse of ``to_json``; what a newer version added is left out."""
    known = {name: value for name, value in stored.items() if name in _NAMES}
    return ModelSpec(**{name: _NUMBERS[name](value) if name in _NUMBERS else value for name, value in known.items()})


def format_price(price: Decimal) -> str:
    """USD a million tokens, for people: in cents, and more exactly if it is so.

    >>> format_price(Decimal("0.8")), format_price(Decimal(15)), format_price(Decimal("0.0375"))
    ('$0.80', '$15.00', '$0.0375')
    """
    cents = price.quantize(Decimal("0.01"))
    return f"${cents if cents == price else price.normalize():f}"


def cost_of(spec: ModelSpec, tokens_in: int, tokens_out: int) -> Decimal:
    """USD.

    >>> cost_of(ModelSpec("a", "A", "openai", "m", price_in=Decimal(3), price_out=Decimal(15)), 1000, 100)
    Decimal('0.0045')
    """
    return (spec.price_in * tokens_in + spec.price_out * tokens_out) / _MILLION
