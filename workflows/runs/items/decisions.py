"""What a person's decision did field by field, as the decision's row has it; a purge takes it with the document."""

from collections.abc import Mapping, Sequence
from typing import Any

from pynamodb.attributes import ListAttribute, UnicodeAttribute

from config.item import Item
from projects.personal.masking import mask_value
from workflows.stages.assessment.answers import describe_nothing


class DecidedFields(Item):
    """``changes``: maps of field, label, before, after, answer; ``confirmed`` and ``unseen``: labels of fields that
    were found right, and of fields that were approved though no one had checked them.
    """

    changes: ListAttribute[Mapping[str, str | None]] = ListAttribute(null=True)
    confirmed: ListAttribute[str] = ListAttribute(null=True)
    unseen: ListAttribute[str] = ListAttribute(null=True)
    reject_reason = UnicodeAttribute(null=True)  # of the project's list
    warnings: ListAttribute[Mapping[str, str]] = ListAttribute(null=True)  # that were accepted: field, text, reason

    def tell(self, hidden: frozenset[str] = frozenset()) -> Sequence[Mapping[str, Any]]:
        """For a list of changes: what, before, after; of ``hidden`` fields without their values."""
        changes = [
            {
                "what": one["label"],
                "before": mask_value(one["before"]) if one["field"] in hidden else one["before"],
                "after": (mask_value(one["after"]) if one["field"] in hidden else one["after"])
                or _describe_answer(one.get("answer")),
            }
            for one in _as_dicts(self.changes)
        ]
        # A rule speaks of several fields' values.
        warned = (
            []
            if hidden
            else [
                {"what": "Warning accepted", "before": one["text"], "after": one["reason"]}
                for one in _as_dicts(self.warnings)
            ]
        )
        named = (("Confirmed", self.confirmed), ("Not checked", self.unseen))
        rejected = [{"what": "Rejection reason", "before": None, "after": self.reject_reason}]
        return [
            *(rejected if self.reject_reason else ()),
            *changes,
            *warned,
            *({"what": what, "before": None, "after": ", ".join(one)} for what, one in named if one),
        ]


def _describe_answer(answer: str | None) -> str | None:
    return describe_nothing(answer) if answer else None


def _as_dicts(stored: Sequence[Any] | None) -> Sequence[Mapping[str, Any]]:
    return [one.as_dict() if hasattr(one, "as_dict") else one for one in stored or ()]
