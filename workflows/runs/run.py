"""Which run: the four ids that every message, row and object of it carry."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Run:
    """Which run of which document: enough to find every record and every file of it."""

    site: str
    project_id: str
    document_id: str
    workflow_id: str
