"""The ways in which documents are listed: each is one Query on one index; pure."""

import datetime as dt
from dataclasses import dataclass

from projects.documents.items import DocumentStatus
from projects.schemas.governing import CompositeKey


@dataclass(frozen=True)
class Span:
    """Which sort keys, as they are stored: one, those that begin so, or those from – to; all if nothing is set."""

    exact: str = ""
    prefix: str = ""
    low: str = ""
    high: str = ""


@dataclass(frozen=True)
class ByDay:
    day: dt.date


@dataclass(frozen=True)
class ByStatus:
    status: DocumentStatus


@dataclass(frozen=True)
class ByClassification:
    """``day`` None: all of them."""

    classification_id: str
    day: dt.date | None = None


@dataclass(frozen=True)
class ByTag:
    """``value`` None: whatever the value, in the order of the values."""

    key: str
    value: str | None = None


@dataclass(frozen=True)
class ByAttribute:
    """``key``: an attribute's or a composite one; ``numeric`` says how its sort keys are read."""

    key: str
    span: Span
    numeric: bool = False
    composite: CompositeKey | None = None


QueryPlan = ByDay | ByStatus | ByClassification | ByTag | ByAttribute
