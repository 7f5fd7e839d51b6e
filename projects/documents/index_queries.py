"""Document lists as queries: each is one Query on one index. Pure functions."""

import datetime as dt
from dataclasses import dataclass

from projects.documents.items import DocumentStatus
from projects.schemas.governing import CompositeKey


@dataclass(frozen=True)
class Span:
    """A range of stored sort keys: exact, by prefix, or from–to; all if unset."""

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
    """``day``: None for all."""

    classification_id: str
    day: dt.date | None = None


@dataclass(frozen=True)
class ByTag:
    """``value``: None for any, in the order of values."""

    key: str
    value: str | None = None


@dataclass(frozen=True)
class ByAttribute:
    """``key``: of an attribute or composite key; ``numeric``: how its sort keys are parsed."""

    key: str
    span: Span
    numeric: bool = False
    composite: CompositeKey | None = None


QueryPlan = ByDay | ByStatus | ByClassification | ByTag | ByAttribute
