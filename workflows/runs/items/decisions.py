"""What a person's decision did field by field, as the decision's row has it; a purge takes it with the document."""

from collections.abc import Mapping, Sequence
from typing import Any

from pynamodb.attributes import ListAttribute

from config.item import Item


class DecidedFields(Item):
    """``changes``: maps of field, label, before, after; ``confirmed`` and ``unseen``: labels of fields that were found
    right, and of fields that were approved though no one had checked them.
    """

    changes: ListAttribute[Mapping[str, str | None]] = ListAttribute(null=True)
    confirmed: ListAttribute[str] = ListAttribute(null=True)
    unseen: ListAttribute[str] = ListAttribute(null=True)

    @property
    def told(self) -> Sequence[Mapping[str, Any]]:
        """For a list of changes: what, before, after."""
        changes = [{"what": one["label"], "before": one["before"], "after": one["after"]} for one in self._changes]
        named = (("Confirmed", self.confirmed), ("Not checked", self.unseen))
        return [*changes, *({"what": what, "before": None, "after": ", ".join(one)} for what, one in named if one)]

    @property
    def _changes(self) -> Sequence[Mapping[str, str | None]]:
        return [one.as_dict() if hasattr(one, "as_dict") else one for one in self.changes or ()]
