from types import SimpleNamespace

from django.template.loader import render_to_string

from tests.html import one_line
from workflows.runs.views.results import with_changes


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
