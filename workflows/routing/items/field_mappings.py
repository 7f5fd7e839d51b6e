"""A mapping (seed 002): which fields of a published result become which attributes of the document."""

from typing import Any

from pynamodb.attributes import ListAttribute, NumberAttribute, UnicodeAttribute

from config.item import Item
from workflows.routing.items.rules import ACTIVE
from workflows.rules.field_mapping import FieldMapping


class StoredMapping(Item):
    """``attributes``: a list of ``{"field": …, "attributeKey": …}``.

    Access: by id; all of a site by name (GSI1, which carries name and status).
    """

    documentId = UnicodeAttribute(null=True)  # noqa: N815 - the seed's names, as stored; absent only in index rows
    name = UnicodeAttribute()
    description = UnicodeAttribute(null=True)
    attributes: ListAttribute[Any] = ListAttribute(null=True)
    project_id = UnicodeAttribute(null=True)  # the only project it is for; absent for all
    status = UnicodeAttribute(default=ACTIVE)  # a mapping of an older writer has none
    version = NumberAttribute(default=0)
    created_by = UnicodeAttribute(null=True)
    updated_by = UnicodeAttribute(null=True)
    updated_at = UnicodeAttribute(null=True)

    @property
    def id(self) -> str:
        return self.PK.rpartition("#")[2]

    @property
    def is_on(self) -> bool:
        return self.status == ACTIVE

    @property
    def mapping(self) -> FieldMapping:
        rows = [one.as_dict() if hasattr(one, "as_dict") else one for one in self.attributes or ()]
        pairs = tuple((str(one.get("field") or ""), str(one.get("attributeKey") or "")) for one in rows)
        return FieldMapping(self.id, self.name, tuple(pair for pair in pairs if all(pair)), self.project_id or "")
