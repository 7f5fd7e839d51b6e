"""Rows of a form that are Django forms: one kind is one formset, and a page may have several kinds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from django import forms
from django.forms.formsets import BaseFormSet, formset_factory

from config.phrase import Phrase
from projects.web import row_moves
from projects.web.row_moves import Tool


class Rows(BaseFormSet):  # type: ignore[type-arg]  # generic for the stubs only
    pass


@dataclass(frozen=True)
class RowKind:
    """``prefix`` is used in input names and orders, ``noun`` in button labels; ``first`` is its first input.

    Orders are those of ``row_moves`` after the prefix: ``conditions-add``, ``conditions-up-2``.
    """

    prefix: str
    noun: str
    first: str
    form: type[forms.Form]
    most: int
    kwargs: Mapping[str, Any]

    def make_rows(self, rows: Sequence[Mapping[str, Any]]) -> Rows:
        return cast(Rows, self._factory()(initial=list(rows), prefix=self.prefix, form_kwargs=dict(self.kwargs)))

    def parse_rows(self, data: Mapping[str, Any]) -> Rows:
        words = {"too_many_forms": Phrase("At most %(most)s rows. Remove some, then save again.").fill(most=self.most)}
        kwargs = {"prefix": self.prefix, "form_kwargs": dict(self.kwargs), "error_messages": words}
        return cast(Rows, self._factory()(data, **kwargs))

    def rearrange_rows(self, data: Mapping[str, Any], order: str) -> tuple[Rows, str]:
        """Return the unvalidated rows after ``order``, and the input to focus; empty for another kind's order."""
        count = min(row_moves.count_rows(data, self.prefix), self.most)
        rows = [
            {name: data.get(f"{self.prefix}-{i}-{name}", "") for name in self.form.base_fields} for i in range(count)
        ]
        prefix, _, move = order.partition("-")
        if prefix != self.prefix:
            return self.make_rows(rows), ""
        focus = row_moves.rearrange_rows(rows, move, blank={}, most=self.most, first=self.first)
        return self.make_rows(rows), f"{self.prefix}-{focus}"

    def add_row_tools(self, rows: Rows, focus: str) -> list[tuple[forms.Form, tuple[Tool, ...]]]:
        """Return each row with its buttons."""
        last, here = len(rows.forms) - 1, focus.removeprefix(f"{self.prefix}-")
        for i, row in enumerate(rows.forms):
            if focus == f"{self.prefix}-{self.first}-{i}":
                row.fields[self.first].widget.attrs["autofocus"] = True
        return [(row, row_moves.row_tools(i, last, here, self.noun)) for i, row in enumerate(rows.forms)]

    def _factory(self) -> Any:
        most = self.most
        return formset_factory(self.form, formset=Rows, extra=0, max_num=most, validate_max=True, absolute_max=most + 1)
