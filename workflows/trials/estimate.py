"""Estimates of a trial's usage and cost, shown before it starts. Pure functions."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from projects.models.cost_words import describe_cost
from projects.models.spec import ModelSpec, cost_of
from projects.prompts.prompt import Prompt
from workflows.trials.documents import ReadDocument

_LETTERS_A_TOKEN = 4  # characters per token in English and similar languages; a guess for other scripts
_A_FIELD_IN, _A_FIELD_OUT = 220, 40  # characters of a field's line and schema; tokens of its answer
_AN_IMAGE = 1_500  # tokens; providers count between 800 and 3,000 for a page
_LONGEST_TEXT = 60_000  # characters of a page that are sent
_WRITTEN = {"extract": 80, "classify": 60, "summarize": 300, "answer": 150}  # tokens of the answer besides the fields


@dataclass(frozen=True)
class Estimate:
    """For draft and production together, with one request each. ``dollars`` is None if the model has no price."""

    requests: int
    tokens_in: int
    tokens_out: int
    dollars: Decimal | None

    @property
    def money(self) -> str:
        return describe_cost(None if self.dollars is None else round(self.dollars * 1_000_000))


def estimate_trial(purpose: str, prompts: tuple[Prompt, Prompt], document: ReadDocument, spec: ModelSpec) -> Estimate:
    parts = list(_request_sizes(purpose, document, spec))
    told = sum(len(prompt.instructions) + len(prompt.message) for prompt in prompts) // _LETTERS_A_TOKEN
    fields = len(document.specs) if purpose == "extract" else 0
    tokens_in = told * len(parts) + 2 * sum(parts)
    tokens_out = 2 * len(parts) * (_WRITTEN[purpose] + fields * _A_FIELD_OUT)
    free = spec.provider == "embedded"
    dollars = Decimal(0) if free else cost_of(spec, tokens_in, tokens_out) if spec.has_price else None
    return Estimate(2 * len(parts), tokens_in, tokens_out, dollars)


def _request_sizes(purpose: str, document: ReadDocument, spec: ModelSpec) -> Iterator[int]:
    """Yield the tokens of each request without the prompt itself."""
    fields = len(document.specs) * _A_FIELD_IN
    if purpose == "summarize":
        yield sum(len(page.text) for page in document.pages) // _LETTERS_A_TOKEN
        return
    pages = document.pages if purpose == "extract" else document.pages[:1]
    for page in pages:
        letters = min(len(page.text), _LONGEST_TEXT) + fields
        yield letters // _LETTERS_A_TOKEN + (_AN_IMAGE if spec.images and page.has_image else 0)
