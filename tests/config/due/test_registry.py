import pytest

from config import table
from config.due import registry, sweeper
from config.due.items import DueWork
from config.due.registry import HANDLERS, due
from config.due.sweeper import DueRow
from config.errors import CountersignError
from config.table import Key


def due_kinds() -> set[str]:
    """The word in each key template that leads into the due index."""
    return {table.due_place(str(one.gsi2sk)).kind for one in table.ENTITIES if str(one.gsi2pk or "").startswith("DUE#")}


def test_each_kind_of_due_row_has_a_handler_and_each_handler_a_kind() -> None:
    assert set(HANDLERS) == due_kinds()
    assert len(HANDLERS) == 21


def test_a_row_of_a_kind_that_only_a_newer_version_knows_is_left_alone() -> None:
    sweeper.repair_due(DueRow("invented", "1", Key("DOC#1", "NEWER"), "default"))  # without a table: not even loaded


def test_a_second_handler_of_a_kind_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_handlers", {})
    first = due("invented", DueWork)(lambda _site, _row: None)
    due("invented", DueWork)(first)  # imported twice
    with pytest.raises(CountersignError, match="invented"):
        due("invented", DueWork)(lambda _site, _row: None)


def test_a_handlers_rows_are_of_the_class_whose_key_leads_to_it() -> None:
    for kind, handler in HANDLERS.items():
        assert table.due_place(str(handler.item.due_entity.gsi2sk)).kind == kind
