"""Reads of cases: one Query or GetItem each; lists need one BatchGetItem more for unprojected attributes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from config import table
from config.errors import NotFound
from config.item import Item, Page
from config.phrase import Phrase
from config.table import InvalidKey
from review.cases.items import Case, CaseDocument, CaseNigo, CaseStatus, CaseTask

T = TypeVar("T", bound=Item)
MISSING = Phrase("Case not found.")
_PARTITION = 900  # rows of one case


@dataclass(frozen=True)
class CaseRows:
    """A case with its contents; tasks and NIGOs oldest first."""

    case: Case
    tasks: Sequence[CaseTask]
    nigos: Sequence[CaseNigo]
    documents: Sequence[CaseDocument]


def get_case(site: str, case_id: str) -> Case:
    """A strong read. Raises: NotFound."""
    try:
        return Case.load(table.CASE.key(site, case_id=case_id))
    except (NotFound, InvalidKey) as error:
        raise NotFound(MISSING) from error


def get_case_rows(site: str, case_id: str) -> CaseRows:
    """Return a whole case by one strongly consistent Query. Raises: NotFound."""
    try:
        key = table.CASE.key(site, case_id=case_id)
    except InvalidKey as error:
        raise NotFound(MISSING) from error
    found = Item.partition(key.pk, limit=_PARTITION)

    def rows_of(kind: type[T], prefix: str) -> list[T]:
        return [kind.from_raw_data(row) for row in found if row["SK"]["S"].startswith(prefix)]

    cases = [row for row in found if row["SK"]["S"] == key.sk]
    if not cases:
        raise NotFound(MISSING)
    return CaseRows(
        Case.from_raw_data(cases[0]),
        rows_of(CaseTask, table.CASE_TASK.sort_prefix()),
        rows_of(CaseNigo, table.CASE_NIGO.sort_prefix()),
        rows_of(CaseDocument, table.CASE_DOCUMENT.sort_prefix()),
    )


def list_cases(site: str, status: CaseStatus, *, cursor: str | None = None) -> Page[Case]:
    """Return cases, last changed first."""
    pk = table.CASE_BY_STATUS.gsi2_partition(site, status=status)
    return _whole(Case.page(pk, index="GSI2", newest_first=True, cursor=cursor))


def list_tasks_of(site: str, user_id: str, *, cursor: str | None = None) -> Page[CaseTask]:
    """Return a person's open tasks by due day; those without one come last."""
    pk = table.TASK_OF_OWNER.gsi1_partition(site, user_id=user_id)
    return _whole(CaseTask.page(pk, index="GSI1", cursor=cursor))


def _whole(page: Page[T]) -> Page[T]:
    """Load the current items of index rows, in order; deleted ones are left out."""
    if not page.rows:
        return page
    found = {one.key: one for one in type(page.rows[0]).load_many([row.key for row in page.rows])}
    return Page([found[row.key] for row in page.rows if row.key in found], page.next)


def list_cases_of_document(site: str, document_id: str) -> list[Case]:
    """Return the cases of a document, oldest attachment first."""
    pk = table.CASE_OF_DOCUMENT.gsi1_partition(site, document_id=document_id)
    ids = dict.fromkeys(one.case_id for one in CaseDocument.page(pk, index="GSI1", limit=100).rows)
    found = Case.load_many([table.CASE.key(site, case_id=one) for one in ids])
    return sorted(found, key=lambda one: one.case_id)
