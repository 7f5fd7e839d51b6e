"""Items of cases, tasks, NIGOs and documents, all in the case's partition (seed 002)."""

from enum import StrEnum

from pynamodb.attributes import NumberAttribute, UnicodeAttribute

from config.item import Item, map_attribute


class CaseStatus(StrEnum):
    """Of a case, a task and a NIGO; stored as written."""

    OPEN = "OPEN"
    CLOSED = "CLOSED"


class Kind(StrEnum):
    """What a document is attached to; stored as written."""

    CASE = "Case"
    TASK = "Task"
    NIGO = "Nigo"


class _Record(Item):
    """Attributes that the seed has on all three."""

    documentId = UnicodeAttribute(null=True)  # noqa: N815 - the seed's names, as stored; absent only in index rows
    name = UnicodeAttribute(null=True)
    description = UnicodeAttribute(null=True)
    status = UnicodeAttribute(null=True)
    metadata = map_attribute(null=True)
    inserteddate = UnicodeAttribute(null=True)
    startDate = UnicodeAttribute(null=True)  # noqa: N815
    endDate = UnicodeAttribute(null=True)  # noqa: N815 - when it was closed
    user_name = UnicodeAttribute(null=True)  # who created it

    @property
    def is_open(self) -> bool:
        return self.status == CaseStatus.OPEN


class Case(_Record):
    """Access: by id; all of a site by id (GSI1); by status, the last changed first (GSI2).

    ``open_items``: its tasks and NIGOs that are open; when the last of them is closed, so is the case. Every change
    bumps ``version``.
    """

    caseNumber = UnicodeAttribute(null=True)  # noqa: N815
    documentNumber = UnicodeAttribute(null=True)  # noqa: N815
    open_items = NumberAttribute(default=0)
    version = NumberAttribute(default=0)
    updated_at = UnicodeAttribute(null=True)
    updated_by = UnicodeAttribute(null=True)

    @property
    def case_id(self) -> str:
        return self.PK.rpartition("#")[2]


class CaseItem(_Record):
    """A task or a NIGO. ``closed_by`` and ``answer``: who closed it and what they said."""

    caseId = UnicodeAttribute(null=True)  # noqa: N815
    closed_by = UnicodeAttribute(null=True)
    answer = UnicodeAttribute(null=True)

    @property
    def item_id(self) -> str:
        return self.SK.rpartition("#")[2]

    @property
    def case_id(self) -> str:
        return self.PK.rpartition("#")[2]


class CaseTask(CaseItem):
    """Access: by case; the open ones of an owner, by the day that they are due (GSI1)."""

    owner_id = UnicodeAttribute(null=True)
    owner_name = UnicodeAttribute(null=True)
    due_on = UnicodeAttribute(null=True)  # a day, ISO


class CaseNigo(CaseItem):
    """Access: by case. ``review``: the rejected review that opened it, as a ``ReviewRef.path``."""

    review = UnicodeAttribute(null=True)


class CaseDocument(Item):
    """A document attached to a case, a task or a NIGO. Access: by case; the cases of a document (GSI1)."""

    documentId = UnicodeAttribute(null=True)  # noqa: N815
    caseId = UnicodeAttribute(null=True)  # noqa: N815
    objectId = UnicodeAttribute(null=True)  # noqa: N815
    type = UnicodeAttribute(null=True)
    inserteddate = UnicodeAttribute(null=True)
    user_name = UnicodeAttribute(null=True)

    @property
    def case_id(self) -> str:
        return self.PK.rpartition("#")[2]
