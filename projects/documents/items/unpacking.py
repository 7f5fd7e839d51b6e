"""What comes out of a mail or an archive: how far it is, what was not taken and why."""

from enum import StrEnum
from typing import Any

from pynamodb.attributes import ListAttribute, NumberAttribute, UnicodeAttribute, UnicodeSetAttribute

from config import table
from config.due.items import CountedWork
from config.item import map_attribute


class UnpackingStatus(StrEnum):
    """Stored as written."""

    OPEN = "open"
    DONE = "done"


class DocumentUnpacking(CountedWork):
    """Access: by document; due (GSI2, until everything is out).

    ``files`` and ``bytes`` are counted at the ``root``, the document that was uploaded: what comes out of all that came
    out of it counts together. ``refused``: ``[{"name": …, "why": …}]``, of many the first; ``skipped``: how many;
    ``skipped_kinds``: their endings. ``message``: why it ended before its end, or
    why nothing came out. ``batch_line``: whose slot of a batch it holds until it ends.
    """

    due_entity = table.DOCUMENT_UNPACKING
    documentId = UnicodeAttribute()  # noqa: N815 - as the rows beside it
    project_id = UnicodeAttribute()
    status = UnicodeAttribute()
    root = UnicodeAttribute()
    depth = NumberAttribute()  # 0 for what was uploaded
    files = NumberAttribute(default=0)
    bytes_ = NumberAttribute(attr_name="bytes", default=0)
    chosen = map_attribute(null=True)  # who does the work for what comes out of it, before what its project says
    refused: ListAttribute[Any] = ListAttribute(null=True)
    skipped = NumberAttribute(default=0)
    skipped_kinds = UnicodeSetAttribute(null=True)
    message = UnicodeAttribute(null=True)
    batch_line = UnicodeAttribute(null=True)
    userId = UnicodeAttribute()  # noqa: N815 - whose upload it was, and so whose its children are
    user_name = UnicodeAttribute()
    inserteddate = UnicodeAttribute()

    @property
    def left_out(self) -> list[dict[str, str]]:
        """The files that were not taken, with their reasons; of many, the first."""
        return [one.as_dict() if hasattr(one, "as_dict") else dict(one) for one in self.refused or ()]

    @property
    def can_be_tried_again(self) -> bool:
        return self.status == UnpackingStatus.DONE and bool(self.refused or self.message)

    @property
    def why(self) -> str:
        """In one sentence or two, what was not taken; empty if everything was."""
        if self.message:
            return str(self.message)
        return f"{one['name']}: {one['why']}" if (one := next(iter(self.left_out), None)) else ""
