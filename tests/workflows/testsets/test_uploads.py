"""Answers out of a file: what is read, and which line is wrong."""

import pytest

from config.errors import Refused
from tests.each import each
from workflows.stages.field_spec import FieldSpec
from workflows.testsets import uploads
from workflows.testsets.uploads import UploadedCase

FIELDS = {
    name: FieldSpec(name, name.title(), kind, False, 0.8) for name, kind in (("total", "amount"), ("date", "date"))
}


def test_csv_has_a_column_for_each_field_and_a_blank_is_an_answer() -> None:
    found = uploads.read_upload(b'document,total,date\na.pdf,"1,007.50",\nb.pdf,,31/03/2024\n', FIELDS)
    assert [(one.line, one.document) for one in found] == [(2, "a.pdf"), (3, "b.pdf")]
    assert found[1].values == {"total": None, "date": "2024-03-31"}


@each("between", [";", "\t"])
def test_csv_is_read_as_spreadsheets_of_other_countries_write_it(between: str) -> None:
    text = between.join(("document", "total", "date")) + "\r\n" + between.join(("a.pdf", "1.007,50", "")) + "\r\n"
    assert uploads.read_upload(text.encode(), FIELDS) == [UploadedCase(2, "a.pdf", {"total": "1007.50", "date": None})]


def test_a_value_of_json_lines_may_hold_a_line_separator() -> None:
    body = '{"document": "a\u2028b.pdf", "fields": {"total": "1"}}\r\n{"document": "c.pdf", "fields": {}}'.encode()
    assert [(one.line, one.document) for one in uploads.read_upload(body, FIELDS)] == [
        (1, "a\u2028b.pdf"),
        (2, "c.pdf"),
    ]


def test_json_lines_name_only_the_fields_that_are_judged() -> None:
    body = b'\n{"document": "d1", "fields": {"total": "12.5"}}\n\n{"document": "d2", "fields": {"total": null}}\n'
    assert uploads.read_upload(body, FIELDS) == [
        UploadedCase(2, "d1", {"total": "12.50"}),
        UploadedCase(4, "d2", {"total": None}),
    ]


@each(
    "body, words",
    [
        (b"", "name the columns"),
        (b"file,total\na,1\n", "name the columns"),
        (b"document,total\n", "no documents"),
        (b"document,total\na,1,2\n", "Line 2 has more cells"),
        (b"document,total\na\n", "Line 2 has fewer cells"),
        (b"document,total\n,1\n", "Line 2 names no document"),
        (b"document,colour\na,red\n", "Line 2 has a field that this project does not have"),
        (b"document,total\na,SECRET\n", "Line 2, total: Enter the amount"),
        (b'document,total\n"a,1\n', "not valid CSV"),
        (b'{"document": "a"}', "Line 1 needs exactly two entries"),
        (b"{x", "Line 1 is not valid JSON"),
        (b"\xff\xfe", "not UTF-8"),
    ],
)
def test_a_wrong_line_is_named_and_never_quoted(body: bytes, words: str) -> None:
    with pytest.raises(Refused, match=words) as refused:
        uploads.read_upload(body, FIELDS)
    assert "SECRET" not in str(refused.value)


def test_files_have_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "MOST_LINES", 1)
    with pytest.raises(Refused, match="more than 1 documents"):
        uploads.read_upload(b"document,total\na,1\nb,2\n", FIELDS)
    monkeypatch.setattr(uploads, "LONGEST_FILE", 4)
    with pytest.raises(Refused, match="larger than"):
        uploads.read_upload(b"document,total\n", FIELDS)
