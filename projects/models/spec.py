"""Specifications of language and OCR models: capabilities, parameters and prices."""

import dataclasses
import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from config.phrase import Phrase

BEDROCK, OPENAI, EMBEDDED = "bedrock", "openai", "embedded"
MODEL_PROVIDERS: Mapping[str, str] = {
    BEDROCK: Phrase("Amazon Bedrock"),
    OPENAI: Phrase("OpenAI-compatible endpoint"),
    EMBEDDED: Phrase("Embedded model"),
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
        """The service that gets the requests, as named in usage and circuit breaker; each endpoint fails by itself."""
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


PP_OCR, TESSERACT, TEXTRACT, PADDLEX = "pp-ocr", "tesseract", "textract", "paddlex"
OCR_PROVIDERS: Mapping[str, str] = {
    PP_OCR: "PP-OCR",
    TESSERACT: "Tesseract",
    TEXTRACT: Phrase("Amazon Textract"),
    PADDLEX: Phrase("PaddleX endpoint"),
}
ON_THIS_MACHINE = frozenset({PP_OCR, TESSERACT})
# Which parameters each of them heeds; the others are not asked for, stored or pinned.
PARAMETERS: Mapping[str, tuple[str, ...]] = {
    PP_OCR: ("languages", "orientation", "dpi", "pages", "least_score"),
    TESSERACT: ("languages", "orientation", "layout", "dpi", "pages", "least_score"),
    TEXTRACT: ("features", "least_score", "price_page"),
    PADDLEX: ("endpoint", "orientation", "dpi", "pages", "least_score", "price_page"),
}
# Whose script is not among PP-OCR's characters: it would answer with look-alikes.
NOT_OF_PP_OCR = frozenset({"ko", "ru", "ar", "hi", "th"})
UPRIGHT, LINES, PAGE = "upright", "lines", "page"
_UPRIGHT = Phrase("All text is upright")
ORIENTATIONS: Mapping[str, Mapping[str, str]] = {
    PP_OCR: {"": Phrase("Project default"), UPRIGHT: _UPRIGHT, LINES: Phrase("Turn upside-down lines")},
    TESSERACT: {"": _UPRIGHT, PAGE: Phrase("Detect page orientation")},
    PADDLEX: {
        "": Phrase("Endpoint default"),
        UPRIGHT: _UPRIGHT,
        LINES: Phrase("Turn upside-down lines"),
        PAGE: Phrase("Detect page and line orientation"),
    },
}
AUTO = "auto"
LAYOUTS: Mapping[str, str] = {
    AUTO: Phrase("Automatic"),
    "column": Phrase("One column of text"),
    "block": Phrase("One block of text"),
    "sparse": Phrase("Scattered text"),
}
FEATURES: Mapping[str, str] = {
    "FORMS": Phrase("Forms"),
    "TABLES": Phrase("Tables"),
    "QUERIES": Phrase("Queries (a question for each field)"),
    "LAYOUT": Phrase("Layout"),
    "SIGNATURES": Phrase("Signatures"),
}
PAGES_DPI, LEAST_DPI, MOST_DPI = 150, 100, 300  # PAGES_DPI: of the page images that people see
_RANGE = re.compile(r"(\d{1,5})(?:\s*[-–]\s*(\d{1,5})?)?")


@dataclass(frozen=True)
class OcrSpec:
    """``id``: its name in the site's catalogue and in addresses.

    ``endpoint``: the name of one that the deployer binds; empty for that of COUNTERSIGN_OCR_ENDPOINT_URL.
    ``languages``: codes of what is read; empty for the project's. ``orientation``, ``layout``: keys of
    ``ORIENTATIONS`` and ``LAYOUTS``. ``dpi``: at which pages of a PDF are rendered for it. ``pages``: as
    ``parse_pages`` takes it; empty for all. ``least_score``: 0–1, lines below it are left out. ``features``: what
    Textract is asked for. ``price_page``: USD; 0: as the desk's price list says.
    """

    id: str
    name: str
    provider: str
    endpoint: str = ""
    languages: tuple[str, ...] = ()
    orientation: str = ""
    layout: str = AUTO
    dpi: int = PAGES_DPI
    pages: str = ""
    least_score: float = 0.0
    features: tuple[str, ...] = tuple(FEATURES)
    price_page: Decimal = Decimal(0)

    @property
    def model(self) -> str:
        """The model's name, for people and prices."""
        return f"{OCR_PROVIDERS[self.provider]} {self.endpoint}".strip()

    @property
    def service(self) -> str:
        """The name in usage and circuit breaker; each endpoint fails by itself."""
        if self.provider == PADDLEX:
            return f"endpoint-{self.endpoint}" if self.endpoint else "endpoint"
        return "local" if self.provider in ON_THIS_MACHINE else self.provider

    @property
    def sha256(self) -> str:
        """Of what changes a reading."""
        stored = self.to_json()
        deciding = {name: value for name, value in stored.items() if name not in {"id", "name", "price_page"}}
        return hashlib.sha256(json.dumps(deciding, sort_keys=True).encode()).hexdigest()

    def reads(self, index: int) -> bool:
        """Whether a page (0-based) is in its range."""
        ranges = list(parse_pages(self.pages))
        return not ranges or any(first <= index + 1 <= last for first, last in ranges)

    def price(self, pages: int) -> int | None:
        """Millionths of a dollar; None: as the desk's price list says."""
        return round(self.price_page * pages * 1_000_000) or None

    def to_json(self) -> dict[str, Any]:
        """Return only the entries that its provider uses; the price as text.

        >>> OcrSpec("t", "T", "textract", features=("FORMS",)).to_json()["features"]
        ['FORMS']
        """
        stored: dict[str, Any] = {"id": self.id, "name": self.name, "provider": self.provider}
        for name in PARAMETERS[self.provider]:
            value = getattr(self, name)
            stored[name] = list(value) if isinstance(value, tuple) else str(value) if name == "price_page" else value
        return stored


_READ: Mapping[str, Any] = {
    **dict.fromkeys(("languages", "features"), tuple),
    "dpi": int,
    "least_score": float,
    "price_page": lambda stored: Decimal(str(stored)),
}


def ocr_spec_from(stored: Mapping[str, Any]) -> OcrSpec:
    """The inverse of ``to_json``; what a newer version added is left out."""
    names = ("id", "name", *PARAMETERS[stored["provider"]])
    known = {name: stored[name] for name in names if name in stored}
    return OcrSpec(
        provider=stored["provider"],
        **{name: _READ[name](value) if name in _READ else value for name, value in known.items()},
    )


def parse_pages(text: str) -> Iterator[tuple[int, float]]:
    """First and last page of each range, 1-based. Raises: ValueError.

    >>> list(parse_pages("1-3, 7, 9-"))
    [(1, 3), (7, 7), (9, inf)]
    """
    for part in filter(None, (one.strip() for one in text.split(","))):
        match = _RANGE.fullmatch(part)
        if match is None:
            raise ValueError(part)
        first = int(match[1])
        last = float("inf") if match[2] is None and part != match[1] else int(match[2] or first)
        if not 1 <= first <= last:
            raise ValueError(part)
        yield first, last


# Every site has these without a row. Their ids are what projects stored before there was a catalogue.
BUILT_IN_OCR: Mapping[str, OcrSpec] = {
    one.id: one
    for one in (
        OcrSpec("pp-ocrv5", Phrase("PP-OCR (built-in)"), PP_OCR, least_score=0.5),
        OcrSpec("tesseract", Phrase("Tesseract (built-in)"), TESSERACT),
        OcrSpec("textract", Phrase("Amazon Textract"), TEXTRACT),
        OcrSpec("endpoint", Phrase("Custom model endpoint"), PADDLEX),
    )
}
# Of an earlier system, which had them on GPUs: PP-OCR reads for them.
_EARLIER = dict.fromkeys(("paddleocr-vl", "pp-structurev3"), BUILT_IN_OCR["pp-ocrv5"])


def find_builtin_ocr(model_id: str) -> OcrSpec | None:
    """Also by an earlier system's id."""
    return BUILT_IN_OCR.get(model_id) or _EARLIER.get(model_id)
