"""The words that definitions know: a version's status, and how the run of one may end."""

from enum import StrEnum

END = -1  # seed 003: the step order after the last one


class Outcome(StrEnum):
    """How a run ended. A rejection is a business outcome: the run is completed, not failed."""

    PUBLISHED = "published"
    REJECTED = "rejected"
    EXPIRED = "expired"
    FAILED = "failed"
    PARTIAL = "partial"  # pages failed, and the others wait for someone to say how to go on
    CANCELLED = "cancelled"


class DefinitionStatus(StrEnum):
    """Of a definition's version (seed 003), stored as written."""

    DRAFT = "draft"  # published, and no run gets it
    ACTIVE = "active"
    ARCHIVED = "archived"
