"""A document with everything that can hang on it, for tests of deleting, restoring and purging."""

from config.errors import NotFound
from projects.audit.events import Actor
from projects.documents.actions import properties
from projects.documents.items import RemovalState
from projects.documents.queries import get_removal
from tests.factories import SITE, decided_run
from tests.flow.protocol import sweep_until_ended
from tests.projects.make_schemas import make_attributes
from tests.pump import Pump
from tests.workflows import stored
from workflows.runs.items import Run
from workflows.storage.objects import DocumentFiles

ROSA, MARTA = Actor("1", "Rosa Marin"), Actor("2", "Marta Kowalczyk")


def hang_on(document_id: str, *, site: str = SITE) -> None:
    for key, value in (("customer", "Acme"), ("customer", "Globex"), ("paid", "")):
        properties.add_tag(site, document_id, key, value, by=ROSA)
    for value in ("10", "12"):
        properties.set_attribute(site, document_id, "total", [value], by=ROSA)
    properties.set_metadata(site, document_id, "shelf", "1", by=ROSA)
    properties.set_metadata(site, document_id, "shelf", "2", by=ROSA)


def reviewed_document(pump: Pump) -> Run:
    """Read, reviewed with a correction, published; tagged and described."""
    make_attributes()
    run, _, _ = decided_run(pump)
    sweep_until_ended(run, pump)
    pump.run(idle=0.3)
    hang_on(run.document_id)
    return run


def state(run: Run) -> RemovalState | None:
    try:
        return RemovalState(str(get_removal(run.site, run.document_id).status))
    except NotFound:
        return None


def files_of(run: Run) -> list[str]:
    return stored.objects(DocumentFiles(run.site, run.project_id, run.document_id).root)


def told(run: Run) -> dict[str, int]:
    """What the trails keep, which only ever grow: how many rows of each kind name the document."""
    kinds = {"activity#": 0, "EVENT#": 0, "ev#": 0}
    for (_, _, sk), row in stored.rows().items():
        for kind in kinds:
            kinds[kind] += sk.startswith(kind) and run.document_id in str(row)
    return kinds


def is_trail(key: tuple[str, str, str]) -> bool:
    return key[2].startswith(("activity#", "EVENT#", "ev#"))
