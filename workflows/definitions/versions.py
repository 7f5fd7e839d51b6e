"""Which version of a definition new runs get, and what has become of the others: reads, remembered for a few seconds.

Every upload asks. The price is ``ACCESS_SECONDS`` in which other processes still begin runs of the version before.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from config import table
from config.errors import NotFound, Refused
from config.item import Item
from config.table import DEFAULT_SITE, Key
from projects.sites import directory
from workflows.definitions import items
from workflows.definitions.blueprint import (
    DOCUMENT_ANALYSIS,
    SHIPPED,
    Definition,
    DefinitionStatus,
    newest_definition,
    step_from,
)
from workflows.definitions.composition import read_plan
from workflows.definitions.earlier import TEN_STEPS
from workflows.definitions.items import ListedDefinition

_SHOWN = 40  # of a family's versions, the newest
_MOST_STEPS = 200
NOT_PUBLISHED = "This version is not published here. Ask an administrator to run `manage.py bootstrap`."


def definition_key(workflow_id: str) -> Key:
    """Of a version, or of a family's head by the family's name: definitions are the same for every site."""
    return table.DEFINITION.key(DEFAULT_SITE, workflow_id=workflow_id)


def listed_key(family: str) -> Key:
    return table.LISTED_DEFINITION.key(DEFAULT_SITE, document_id=family)


# --- what a run pins -----------------------------------------------------------
def find_definition(definition_id: str) -> Definition:
    """The version as it was shipped or composed; it never changes. One Query, remembered, of a composed one.

    Raises:
        NotFound: there is none.
        Unavailable: the table does not answer.

    """
    shipped = TEN_STEPS if definition_id == TEN_STEPS.id else SHIPPED.get(definition_id)
    return shipped or directory.remember("version", definition_id, lambda: read_definition(definition_id))


def read_definition(definition_id: str) -> Definition:
    """From its rows (AP1). Raises: NotFound."""
    head, steps = get_published_version(definition_id)
    read = tuple(
        step_from(int(row.stepOrder), row.name, row.type, int(row.timeoutMin or 0), row.config.as_dict())  # type: ignore[arg-type]
        for row in steps
    )
    return Definition(head.name, int(head.version), head.description or "", read)


def active_definition(family: str = "") -> Definition:
    """What a new run of this family pins; an unknown family and none are the analysis that every document gets.

    If nothing was published yet, or by newer code than this, it is the newest that this code knows.

    Raises:
        Refused: its active version was archived and no other one activated.
        Unavailable: the table does not answer.

    """
    known = bool(family) and (newest_definition(family) is not None or family in list_descriptions())
    name = family if known else DOCUMENT_ANALYSIS.name
    version, status = directory.remember("definition", name, lambda: _head(name))
    newest = newest_definition(name)
    if status == DefinitionStatus.ARCHIVED or not (version or newest):
        raise Refused(f"No version of {name} is active. Activate one, or select another workflow in the rules.")
    if newest is None:
        return find_definition(f"{name}.v{version}")
    return SHIPPED.get(f"{name}.v{version}", newest)


def _head(family: str) -> tuple[int, str]:
    try:
        found = items.Definition.load(definition_key(family), consistent=False)
    except NotFound:
        return 0, ""
    return int(found.version), found.status


# --- what there is ---------------------------------------------------------------
def list_names() -> Sequence[str]:
    """Families, those that are shipped first; one Query, remembered."""
    return list(dict.fromkeys([*(one.name for one in SHIPPED.values()), *list_descriptions()]))


def list_descriptions() -> Mapping[str, str]:
    """Name → description of the composed families; one Query, remembered."""
    return {name: description for name, (description, _) in _composed().items()}


def list_without_documents() -> frozenset[str]:
    """The names of the composed families that run on data alone; from what the same Query told."""
    return frozenset(name for name, (_, documents) in _composed().items() if not documents)


def _composed() -> Mapping[str, tuple[str, bool]]:
    """Name → description, and whether it runs on documents."""
    return directory.remember(
        "definitions",
        "",
        lambda: {row.documentId: (row.description or "", read_plan(row.json).documents) for row in list_composed()},
    )


def list_composed() -> Sequence[ListedDefinition]:
    """The first hundred by name: one Query, and one batch read if there are any."""
    partition = table.LISTED_DEFINITION.gsi1_partition(DEFAULT_SITE)
    rows = ListedDefinition.page(partition, index="GSI1", limit=100).rows
    return ListedDefinition.load_many([row.key for row in rows]) if rows else []


def get_composed(family: str) -> ListedDefinition:
    """With its plan, strongly consistent. Raises: NotFound."""
    try:
        return ListedDefinition.load(listed_key(family))
    except (NotFound, table.InvalidKey) as error:
        raise NotFound("Workflow definition not found.") from error


@dataclass(frozen=True)
class Version:
    """A version as it stands: ``status`` None if it is not published here, ``since`` when that was changed last.

    ``deployed``: an engine can run it; a composed one waits for that a moment.
    """

    id: str
    number: int
    description: str
    status: DefinitionStatus | None
    published_at: str | None = None
    since: str | None = None
    deployed: bool = True

    @property
    def is_active(self) -> bool:
        return self.status == DefinitionStatus.ACTIVE


@dataclass(frozen=True)
class Family:
    """Its versions, the newest first. ``active``: 0 for none. ``composed``: on a page, not shipped."""

    name: str
    active: int
    versions: tuple[Version, ...]
    composed: bool = False

    def version(self, number: int) -> Version:
        """Raises: NotFound."""
        found = next((one for one in self.versions if one.number == number), None)
        if found is None:
            raise NotFound("Workflow definition version not found.")
        return found


def list_families() -> list[Family]:
    """All that there are, as they stand: one Query and one BatchGetItem."""
    composed = {row.documentId: int(row.version or 0) for row in list_composed()}
    shipped = dict.fromkeys((one.name for one in SHIPPED.values()), 0)
    return _families({**shipped, **composed})


def get_family(name: str) -> Family:
    """One BatchGetItem; a GetItem more of a composed one. Raises: NotFound."""
    newest = 0 if newest_definition(name) else int(get_composed(name).version or 0)
    return _families({name: newest})[0]


def _families(newest: Mapping[str, int]) -> list[Family]:
    """``newest``: name → number of the newest composed version; 0 for a shipped family."""
    numbers = {
        name: range(last, max(0, last - _SHOWN), -1)
        if last
        else sorted((one.version for one in SHIPPED.values() if one.name == name), reverse=True)
        for name, last in newest.items()
    }
    ids = [f"{name}.v{number}" for name, own in numbers.items() for number in own]
    rows = {row.workflowId: row for row in items.Definition.load_many([definition_key(one) for one in [*newest, *ids]])}
    return [_family(name, own, rows) for name, own in numbers.items()]


def _family(name: str, numbers: Sequence[int], rows: Mapping[str, items.Definition]) -> Family:
    head = rows.get(name)
    active = int(head.version) if head is not None and head.status == DefinitionStatus.ACTIVE else 0
    versions = (_version(f"{name}.v{number}", number, rows.get(f"{name}.v{number}"), active) for number in numbers)
    return Family(name, active, tuple(versions), newest_definition(name) is None)


def _version(definition_id: str, number: int, row: items.Definition | None, active: int) -> Version:
    shipped = SHIPPED.get(definition_id)
    if row is None:
        return Version(
            definition_id, number, shipped.description if shipped else "", None, deployed=shipped is not None
        )
    status = DefinitionStatus.ACTIVE if number == active else DefinitionStatus(row.status)
    if status == DefinitionStatus.ACTIVE and number != active:
        status = DefinitionStatus.ARCHIVED  # its row says so since before versions were archived
    deployed = shipped is not None or row.deployedAt is not None
    return Version(definition_id, number, row.description or "", status, row.createdAt, row.updatedAt, deployed)


def get_published_version(definition_id: str) -> tuple[items.Definition, list[items.DefinitionStep]]:
    """AP1: a version with its steps in their order, as they were published; one Query. Raises: NotFound."""
    pk = table.DEFINITION.partition_key(DEFAULT_SITE, workflow_id=definition_id)
    found = {str(one["SK"]["S"]): one for one in Item.partition(pk, limit=_MOST_STEPS)}
    head = found.pop(table.DEFINITION.sort_prefix(), None)
    if head is None:
        raise NotFound(NOT_PUBLISHED)
    return items.Definition.from_raw_data(head), [items.DefinitionStep.from_raw_data(one) for one in found.values()]
