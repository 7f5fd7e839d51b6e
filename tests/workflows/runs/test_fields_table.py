from types import SimpleNamespace

from django.template.loader import render_to_string

from tests.html import one_line
from workflows.runs.views.results import _tell_tables, with_changes


def shown(value="", **read):
    field = SimpleNamespace(
        label="Due date", name="due", value=value, nothing="not found", page=None, confidence=0.27, **read
    )
    context = {"fields": [field], "document_id": "d", "workflow_id": "w"}
    return one_line(render_to_string("workflows/runs/_fields.html", context))


def test_nothing_found_has_no_confidence():
    page = shown()
    assert "not found" in page
    assert "27 %" not in page


def test_a_confirmed_value_says_by_whom_and_no_longer_how_sure_the_engine_was():
    page = shown("2026-12-01", confirmed_by="Rosa Keller")
    assert "confirmed by Rosa Keller" in page
    assert "27 %" not in page
    assert "27 %" in shown("2026-12-01")


def test_who_confirmed_a_field_is_who_decided():
    fields = [{"name": "due", "answer": "confirmed"}, {"name": "total", "answer": "corrected"}, {"name": "vat"}]
    found = {"fields": fields, "decision": {"reviewer": {"id": "7", "name": "Rosa Keller"}}}
    assert [one["confirmed_by"] for one in with_changes(found)] == ["Rosa Keller", "", ""]
    assert [one["confirmed_by"] for one in with_changes({"fields": fields})] == ["", "", ""]


def test_a_corrected_table_says_which_cells_changed_by_their_columns():
    by = {"field": "items", "by": {"name": "Rosa Keller"}, "at": "2026-11-28T10:00:00Z"}
    rows = [[{"column": "item", "value": "Oak"}, {"column": "amount", "value": "13.00"}]]
    change = by | {"before": "Oak\t12.00", "after": "Oak\t13.00"}
    found = {"fields": [{"name": "items", "label": "Items", "rows": rows}], "decision": {"changes": [change]}}
    (field,) = map(_tell_tables, with_changes(found))
    page = shown("x", changes=field["changes"])
    assert "Items, row 1, Amount:" in page
    assert "12.00</span> → <b" in page
    assert page.count("Rosa Keller") == 1
    masked = _tell_tables({**field, "changes": [change | {"before": "•••", "after": "•••"}]})
    assert masked["changes"][0]["cells"] == []
