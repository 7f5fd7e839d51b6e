"""Validation of review requests: one shape for state machines and the API."""

import hashlib
import json
import math
import re
from typing import Annotated, Any

from django.conf import settings
from django.utils.translation import gettext
from ninja import Schema
from pydantic import (
    AfterValidator,
    AliasChoices,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    WithJsonSchema,
    model_validator,
)

from config.errors import Refused
from config.table import DEFAULT_SITE
from projects.settings.columns import TABLE
from projects.settings.values import DEFAULT_THRESHOLD, FIELD_TYPES
from workflows.stages.results import LONGEST

MOST_FIELDS = 25
MOST_FILES = 20
MOST_ALLOWED = 100
LONGEST_TEXT = 100_000  # what one message of a state machine can carry, and a person can look through
SHORTEST_SECONDS = 60
ASKED_TYPES = tuple(kind for kind in FIELD_TYPES if kind != TABLE)
TOKEN_NAMES = ("token", "taskToken", "TaskToken")  # the spelling of AWS's documentation, seed 004 and SDKs
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\u202d\u202e]")


def _printable(text: str) -> str:
    """Refuse unprintable text instead of cleaning it: the sender must know that the person would see something else."""
    if _CONTROL.search(text):
        raise ValueError("contains an invalid character (control character, lone surrogate or bidirectional override)")
    return text


def _as_text(value: Any) -> Any:
    """Accept numbers and booleans as text, as state machines send them."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        if not math.isfinite(value):
            raise ValueError("is not a finite number")
        return str(value)
    return value


# What the description says of ``_printable``; the check itself has a sentence, which a pattern's has not.
_SHOWN = Field(json_schema_extra={"pattern": r"^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u202d\u202e]*$"})
Printable = Annotated[str, AfterValidator(_printable), _SHOWN]
Line = Annotated[Printable, Field(max_length=200)]
Value = Annotated[
    Printable,
    Field(max_length=LONGEST),
    BeforeValidator(_as_text),
    WithJsonSchema({"type": ["string", "number", "boolean"], "maxLength": LONGEST, **_SHOWN.json_schema_extra}),
]
Name = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_]{0,39}$")]
Share = Annotated[float, Field(ge=0, le=1)]
_STRICT = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


class FieldAsked(Schema):
    """One field. ``confidence``: the caller's, 0–1; without it a person must confirm the value.

    ``page``: 0-based over all pages shown; ``box``: left, top, right, bottom as page fractions.
    """

    model_config = _STRICT
    name: Name
    label: Line = ""
    type: str = Field("text", json_schema_extra={"enum": list(ASKED_TYPES)})
    value: Value | None = None
    confidence: Share | None = None
    required: bool = False
    allowed: Annotated[tuple[Value, ...], Field(max_length=MOST_ALLOWED)] = ()
    page: Annotated[int, Field(ge=0)] | None = None
    box: Annotated[tuple[Share, ...], Field(min_length=4, max_length=4)] | None = None

    @model_validator(mode="after")
    def _check_type_and_box(self) -> "FieldAsked":
        if self.type not in ASKED_TYPES:
            raise ValueError(f"type must be one of {', '.join(ASKED_TYPES)}")
        if self.box and (self.box[0] >= self.box[2] or self.box[1] >= self.box[3]):
            raise ValueError("box must be [left, top, right, bottom] with left < right and top < bottom")
        return self


class Policy(Schema):
    """Review thresholds, 0–1: for all fields, and by name."""

    model_config = _STRICT
    default_threshold: Share = DEFAULT_THRESHOLD
    thresholds: dict[Name, Share] = Field(default_factory=dict, max_length=MOST_FIELDS)


_SOMETHING: list[Any] = [  # as ``_check_something_to_decide`` asks for it
    {"required": ["fields"], "properties": {"fields": {"minItems": 1}}},
    {"required": ["pages"], "properties": {"pages": {"minItems": 1}}},
    {"required": ["text"], "properties": {"text": {"minLength": 1}}},
    {"required": ["schema"], "properties": {"schema": {"minLength": 1}}},
]


class Question(Schema):
    """What a person is asked, and until when. ``id``: the caller's own; the same id is the same review.

    ``pages``: S3 addresses of PDF and image files. ``schema``: a document type of the site whose attributes are asked
    for. ``deadline_seconds``: time to decide, from the request.
    """

    model_config = ConfigDict(**_STRICT, json_schema_extra={"anyOf": _SOMETHING})
    id: Annotated[Line, Field(min_length=1)] | None = None
    title: Annotated[Line, Field(min_length=1)]
    reason: Annotated[Printable, Field(max_length=300)] = ""
    fields: Annotated[tuple[FieldAsked, ...], Field(max_length=MOST_FIELDS)] = ()
    text: Annotated[Printable, Field(max_length=LONGEST_TEXT)] = ""
    pages: Annotated[tuple[Annotated[str, Field(max_length=1100)], ...], Field(max_length=MOST_FILES)] = ()
    schema_id: Annotated[str, Field(max_length=64)] = Field("", alias="schema")
    policy: Policy = Policy()
    project: Annotated[str, Field(max_length=64)] = ""
    queue: Annotated[str, Field(max_length=64)] = ""
    deadline_seconds: Annotated[int, Field(ge=SHORTEST_SECONDS, le=settings.REVIEW_DRAFT_SECONDS)] = (
        settings.REVIEW_TIMEOUT_SECONDS
    )

    @model_validator(mode="after")
    def _check_something_to_decide(self) -> "Question":
        names = [field.name for field in self.fields]
        if len(set(names)) < len(names):
            raise ValueError("field names must be unique")
        if not (self.fields or self.text or self.pages or self.schema_id):
            raise ValueError("nothing to review: send fields, text or pages")
        return self

    @property
    def sha256(self) -> str:
        """Hash of the question itself, without caller and deadline."""
        who = {"id", "deadline_seconds", "token", "execution_arn", "site", "caller"}
        asked = self.model_dump(exclude=who, exclude_defaults=True)  # new entries change no existing hash
        return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()


class ProgramQuestion(Question):
    """A question from the API; its ``id`` makes it idempotent."""

    model_config = ConfigDict(
        json_schema_extra={
            "anyOf": _SOMETHING,
            "examples": [{"id": "loan-17", "title": "Loan 17", "text": "Is the income of 3,200 plausible?"}],
        }
    )
    id: Annotated[Line, Field(min_length=1)]


class MachineQuestion(Question):
    """A question from a state machine of the account, with its task token."""

    site: Annotated[str, Field(max_length=64)] = DEFAULT_SITE
    caller: Annotated[Printable, Field(max_length=80)] = ""
    token: Annotated[str, Field(min_length=1, max_length=2048)] = Field(
        validation_alias=AliasChoices(*TOKEN_NAMES), repr=False
    )
    execution_arn: Annotated[str, Field(max_length=2048, pattern=r"^(arn:[a-z-]+:states:[!-~]+)?$")] = ""

    @property
    def machine(self) -> str:
        """The name of the caller's state machine, if its execution is known."""
        parts = self.execution_arn.split(":")
        return parts[6] if len(parts) > 6 else ""


def read_machine_question(raw: Any) -> MachineQuestion:
    """Read a machine's input; nulls count as absent. Raises: Refused, listing every invalid entry."""
    asked = _without_nulls(raw)
    if isinstance(asked, dict):  # AWS's own entries: the second links the two executions in its console
        asked.pop("Comment", None)
        started_by = asked.pop("AWS_STEP_FUNCTIONS_STARTED_BY_EXECUTION_ID", "")
        asked.setdefault("execution_arn", started_by)
    try:
        return MachineQuestion.model_validate(asked)
    except ValidationError as error:
        # Without its cause: pydantic's text repeats the input with its token, and tracebacks are logged.
        raise Refused(gettext("Invalid review request. %(error)s") % {"error": _sentences(error)}) from None


def _without_nulls(raw: Any) -> Any:
    if isinstance(raw, dict):
        return {name: _without_nulls(value) for name, value in raw.items() if value is not None}
    return [_without_nulls(one) for one in raw] if isinstance(raw, list) else raw


def _sentences(error: ValidationError) -> str:
    """Say where and why, without quoting values, which may be personal."""
    found = [(".".join(map(str, one["loc"])), one["msg"].removeprefix("Value error, ")) for one in error.errors()]
    shown = [f"{where}: {why}." if where else f"{why}." for where, why in found[:10]]
    return " ".join(shown) + (f" And {len(found) - 10} more." if len(found) > 10 else "")
