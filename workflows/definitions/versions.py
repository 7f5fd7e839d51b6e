"""Which version of a definition new runs get, and what has become of the others: reads, remembered for a few seconds.

Every upload asks. The price is ``ACCESS_SECONDS`` in which other processes still begin runs of the version before.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from config import table
from config.errors import NotFound, Refused
from config.item import Item
from config.table import DEFAULT_SITE, Key
from projects.sites import directory
from workflows.definitions import items
from workflows.definitions.blueprint import (
    DEFINITIONS,
    DOCUMENT_ANALYSIS,
    Definition,
    DefinitionStatus,
    newest_definition,
)


def _key(workflow_id: str) -> Key:
    return table.DEFINITION.key(DEFAULT_SITE, workflow_id=workflow_id)


def active_definition(family: str = "") -> Definition:
    """What a new run of this family pins; an unknown family and none are the analysis that every document gets.

    If nothing was published yet, or by newer code than this, it is the newest that this code knows.

    Raises:
        Refused: its active version was archived and no other one activated.
        Unavailable: the table does not answer.

    """
    known = newest_definition(family) or DOCUMENT_ANALYSIS
    version, status = directory.remember("definition", known.name, lambda: _head(known.name))
    if status == DefinitionStatus.ARCHIVED:
        raise Refused(f"Workflow definition {known.name} is archived. Select another in the rules.")
    return DEFINITIONS.get(f"{known.name}.v{version}", known)


def _head(family: str) -> tuple[int, str]:
    try:
        found = items.Definition.load(_key(family), consistent=False)
    except NotFound:
        return 0, ""
    return int(found.version), found.status


@dataclass(frozen=True)
class Version:
    """A version as it stands: ``status`` None if it is not published here, ``since`` when that was changed last."""

    definition: Definition
    status: DefinitionStatus | None
    published_at: str | None = None
    since: str | None = None

    @property
    def is_active(self) -> bool:
        return self.status == DefinitionStatus.ACTIVE


@dataclass(frozen=True)
class Family:
    """Its versions, the newest first. ``active_definition``: 0 for none."""

    name: str
    active: int
    versions: tuple[Version, ...]

    def version(self, number: int) -> Version:
        """Raises: NotFound."""
        found = next((one for one in self.versions if one.definition.version == number), None)
        if found is None:
            raise NotFound("Workflow definition version not found.")
        return found


def list_families() -> list[Family]:
    """All that this code knows, as they stand: one BatchGetItem."""
    names = list(dict.fromkeys(one.name for one in DEFINITIONS.values()))
    return _families(names)


def get_family(name: str) -> Family:
    """One BatchGetItem. Raises: NotFound."""
    if newest_definition(name) is None:
        raise NotFound("Workflow definition not found.")
    return _families([name])[0]


def _families(names: Sequence[str]) -> list[Family]:
    wanted = [*names, *(one.id for one in DEFINITIONS.values() if one.name in names)]
    rows = {row.workflowId: row for row in items.Definition.load_many([_key(one) for one in wanted])}
    return [_family(name, rows) for name in names]


def _family(name: str, rows: dict[str, items.Definition]) -> Family:
    head = rows.get(name)
    number = int(head.version) if head is not None and head.status == DefinitionStatus.ACTIVE else 0
    own = sorted((one for one in DEFINITIONS.values() if one.name == name), key=lambda one: -one.version)
    return Family(name, number, tuple(_version(one, rows.get(one.id), number) for one in own))


def _version(definition: Definition, row: items.Definition | None, number: int) -> Version:
    if row is None:
        return Version(definition, None)
    status = DefinitionStatus.ACTIVE if definition.version == number else DefinitionStatus(row.status)
    if status == DefinitionStatus.ACTIVE and definition.version != number:
        status = DefinitionStatus.ARCHIVED  # its row says so since before versions were archived
    return Version(definition, status, row.createdAt, row.updatedAt)


def get_published_version(definition_id: str) -> tuple[items.Definition, list[items.DefinitionStep]]:
    """AP1: a version with its steps in their order, as they were published; one Query. Raises: NotFound."""
    pk = table.DEFINITION.partition_key(DEFAULT_SITE, workflow_id=definition_id)
    found = {str(one["SK"]["S"]): one for one in Item.partition(pk, limit=200)}
    head = found.pop(table.DEFINITION.sort_prefix(), None)
    if head is None:
        raise NotFound("This version is not published here. Ask an administrator to run `manage.py bootstrap`.")
    return items.Definition.from_raw_data(head), [items.DefinitionStep.from_raw_data(one) for one in found.values()]
