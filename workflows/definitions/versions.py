"""Reads of definition versions: which one new runs get, and the status of the others. Cached for a few seconds.

Every upload reads them. The cost is that other processes may start runs of the previous version for ``ACCESS_SECONDS``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext

from config import table
from config.errors import NotFound, Refused
from config.item import Item
from config.phrase import Phrase
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
from workflows.definitions.composition import Plan, compose_definition, read_plan
from workflows.definitions.items import ListedDefinition
from workflows.definitions.seed_000 import TEN_STEPS

_SHOWN = 40  # newest versions of a family
_MOST_STEPS = 200
NOT_PUBLISHED = "This version is not published here. Ask an administrator to run `manage.py bootstrap`."


def definition_key(workflow_id: str) -> Key:
    """Return the key of a version, or of a family's head by the family's name. Definitions are not tenant data."""
    return table.DEFINITION.key(DEFAULT_SITE, workflow_id=workflow_id)


def listed_key(family: str) -> Key:
    return table.LISTED_DEFINITION.key(DEFAULT_SITE, document_id=family)


# --- what a run pins -----------------------------------------------------------
def find_definition(definition_id: str) -> Definition:
    """Return a version, shipped or composed. It never changes. One Query for a composed one, cached.

    Raises:
        NotFound: there is none.
        Unavailable: the table does not answer.

    """
    shipped = TEN_STEPS if definition_id == TEN_STEPS.id else SHIPPED.get(definition_id)
    return shipped or directory.remember("version", definition_id, lambda: read_definition(definition_id))


def read_definition(definition_id: str) -> Definition:
    """Read a version from its rows (AP1). Raises: NotFound."""
    head, steps = get_published_version(definition_id)
    read = tuple(
        step_from(int(row.stepOrder), row.name, row.type, int(row.timeoutMin or 0), row.config.as_dict())  # type: ignore[arg-type]
        for row in steps
    )
    return Definition(head.name, int(head.version), head.description or "", read)


def compose(name: str, version: int, plan: Plan) -> Definition:
    """Build the definition of a plan, with the steps of other workflows. Raises: NotFound if one is not published."""
    return compose_definition(name, version, plan, {one: find_definition(one) for one in plan.parts})


def active_definition(family: str = "") -> Definition:
    """Return the version that a new run of this family pins; an unknown or empty family is the document analysis.

    If nothing was published yet, or only by newer code than this, it is the newest version that this code knows.

    Raises:
        Refused: its active version was archived and no other one activated.
        Unavailable: the table does not answer.

    """
    known = bool(family) and (newest_definition(family) is not None or family in list_descriptions())
    name = family if known else DOCUMENT_ANALYSIS.name
    version, status = directory.remember("definition", name, lambda: _head(name))
    newest = newest_definition(name)
    if status == DefinitionStatus.ARCHIVED or not (version or newest):
        raise Refused(
            gettext("No version of %(name)s is active. Activate one, or select another workflow in the rules.")
            % {"name": name}
        )
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
    """List the families, shipped ones first; one cached Query."""
    return list(dict.fromkeys([*(one.name for one in SHIPPED.values()), *list_descriptions()]))


def list_descriptions() -> Mapping[str, str]:
    """Map the names of composed families to their descriptions; one cached Query."""
    return {name: description for name, (description, _) in _composed().items()}


def list_without_documents() -> frozenset[str]:
    """Return the names of composed families that run on data only; from the same cached Query."""
    return frozenset(name for name, (_, documents) in _composed().items() if not documents)


def _composed() -> Mapping[str, tuple[str, bool]]:
    """Map names to a description and whether the family runs on documents."""
    return directory.remember(
        "definitions",
        "",
        lambda: {row.documentId: (row.description or "", read_plan(row.json).documents) for row in list_composed()},
    )


def list_composed() -> Sequence[ListedDefinition]:
    """List the first hundred by name: one Query, and one batch read if there are any."""
    partition = table.LISTED_DEFINITION.gsi1_partition(DEFAULT_SITE)
    rows = ListedDefinition.page(partition, index="GSI1", limit=100).rows
    return ListedDefinition.load_many([row.key for row in rows]) if rows else []


def get_composed(family: str) -> ListedDefinition:
    """Return a composed family with its plan, strongly consistent. Raises: NotFound."""
    try:
        return ListedDefinition.load(listed_key(family))
    except (NotFound, table.InvalidKey) as error:
        raise NotFound(gettext("Workflow definition not found.")) from error


@dataclass(frozen=True)
class Version:
    """A version and its status, None if it is not published here; ``since``: its last change.

    ``deployed``: an engine can run it. A composed version is not deployed for a moment.
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
    """A family and its versions, newest first. ``active``: 0 for none. ``composed``: on a page, not shipped."""

    name: str
    active: int
    versions: tuple[Version, ...]
    composed: bool = False

    def version(self, number: int) -> Version:
        """Raises: NotFound."""
        found = next((one for one in self.versions if one.number == number), None)
        if found is None:
            raise NotFound(gettext("Workflow definition version not found."))
        return found


def list_families() -> list[Family]:
    """List all families: one Query and one BatchGetItem."""
    composed = {row.documentId: int(row.version or 0) for row in list_composed()}
    shipped = dict.fromkeys((one.name for one in SHIPPED.values()), 0)
    return _families({**shipped, **composed})


def list_parts(family: str, *, documents: bool) -> Mapping[str, str]:
    """Map id to label of the versions that a plan of ``family`` can take: composed, not archived, of the same kind."""
    data = list_without_documents()
    return {
        one.id: Phrase("%(name)s, version %(version)s").fill(name=other.name, version=one.number)
        for other in list_families()
        if other.composed and other.name != family and (other.name in data) != documents
        for one in other.versions
        if one.status in (DefinitionStatus.DRAFT, DefinitionStatus.ACTIVE)
    }


def get_family(name: str) -> Family:
    """Return one family: one BatchGetItem, and a GetItem if it is composed. Raises: NotFound."""
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
        status = DefinitionStatus.ARCHIVED  # its row is older than the archived status
    deployed = shipped is not None or row.deployedAt is not None
    description = shipped.description if shipped else row.description or ""
    return Version(definition_id, number, description, status, row.createdAt, row.updatedAt, deployed)


def get_published_version(definition_id: str) -> tuple[items.Definition, list[items.DefinitionStep]]:
    """AP1: return a version with its ordered steps as published; one Query. Raises: NotFound."""
    pk = table.DEFINITION.partition_key(DEFAULT_SITE, workflow_id=definition_id)
    found = {str(one["SK"]["S"]): one for one in Item.partition(pk, limit=_MOST_STEPS)}
    head = found.pop(table.DEFINITION.sort_prefix(), None)
    if head is None:
        raise NotFound(NOT_PUBLISHED)
    return items.Definition.from_raw_data(head), [items.DefinitionStep.from_raw_data(one) for one in found.values()]
