"""Which run: the four ids that every message, row and object of it carry."""

from dataclasses import dataclass
from typing import Self

from config import clock


@dataclass(frozen=True)
class Run:
    """Which run of which document: enough to find every record and every file of it."""

    site: str
    project_id: str
    document_id: str
    workflow_id: str

    @classmethod
    def new(cls, site: str, project_id: str, document_id: str) -> Self:
        """One that nothing is written of yet."""
        return cls(site, project_id, document_id, clock.new_ulid())
