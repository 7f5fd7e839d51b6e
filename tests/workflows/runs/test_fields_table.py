from types import SimpleNamespace

from django.template.loader import render_to_string

from tests.html import one_line


def shown(**read):
    field = SimpleNamespace(
        label="Due date", name="due", value="", nothing="not found", page=None, confidence=0.0, **read
    )
    context = {"fields": [field], "document_id": "d", "workflow_id": "w"}
    return one_line(render_to_string("workflows/runs/_fields.html", context))


def test_nothing_found_has_no_confidence():
    page = shown()
    assert "not found" in page
    assert "0 %" not in page
