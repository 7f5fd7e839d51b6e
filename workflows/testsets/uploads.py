"""Uploads of known answers: CSV with a column for each field, or JSON lines; parsed, validated, then resolved."""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from django.utils.translation import gettext

from config import table
from config.errors import Refused
from config.phrase import Sentence
from projects.schemas import queries as schema_queries
from projects.settings.items import Project
from workflows.runs import run_settings
from workflows.runs.items import ProjectDocument
from workflows.stages import results
from workflows.stages.field_spec import FieldSpec
from workflows.testsets.cases import KnownAnswers, KnownField

LONGEST_FILE = 2 * 1024 * 1024  # bytes
MOST_LINES = 1_000
_MOST_LOOKED = 5_000  # documents of a project that are searched by name
_COLUMN = "document"
_SHORTEN = Sentence("Shorten the value.")


@dataclass(frozen=True)
class UploadedCase:
    """``document``: an id or a file name. ``values``: field → its stored form; None: the document does not have it."""

    line: int
    document: str
    values: Mapping[str, str | None]


def read_upload(body: bytes, fields: Mapping[str, FieldSpec]) -> list[UploadedCase]:
    """Parse and validate a file.

    Raises:
        Refused: with the invalid line's number, never its content.

    """
    if len(body) > LONGEST_FILE:
        raise Refused(gettext("The file is larger than 2 MB. Upload it in parts."))
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Refused(gettext("The file is not UTF-8 text. Save it as UTF-8 and upload it again.")) from error
    lines = _read_json_lines(text) if text.lstrip().startswith("{") else _read_csv(text)
    found = [_check_line(number, one, fields) for number, one in lines]
    if not found:
        raise Refused(gettext("The file has no documents. Add a line for each."))
    if len(found) > MOST_LINES:
        raise Refused(
            gettext("The file has more than %(most_lines)s documents. Upload it in parts.")
            % {"most_lines": f"{MOST_LINES:,}"}
        )
    return found


def check_lines(lines: Iterable[Mapping[str, Any]], fields: Mapping[str, FieldSpec]) -> list[UploadedCase]:
    """Validate lines with ``document`` and ``fields``, as ``read_upload``. Raises: Refused."""
    return [_check_line(number, one, fields) for number, one in enumerate(lines, 1)]


def _read_csv(text: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Detect commas, semicolons or tabs, as spreadsheets use the separator of their locale."""
    delimiter = max(",;\t", key=text.partition("\n")[0].count)
    reader = csv.DictReader(io.StringIO(text), strict=True, delimiter=delimiter)
    if _COLUMN not in (reader.fieldnames or ()):
        raise Refused(gettext("The first line must name the columns: document, then the fields' names."))
    try:
        for row in reader:
            document = row.pop(_COLUMN)
            if None in row:
                raise Refused(
                    gettext("Line %(line_num)s has more cells than the first line.") % {"line_num": reader.line_num}
                )
            if None in row.values():  # not empty, which is an answer
                raise Refused(
                    gettext("Line %(line_num)s has fewer cells than the first line.") % {"line_num": reader.line_num}
                )
            yield reader.line_num, {"document": document, "fields": row}
    except csv.Error as error:
        raise Refused(gettext("Line %(line_num)s is not valid CSV.") % {"line_num": reader.line_num}) from error


def _read_json_lines(text: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for number, line in enumerate(text.split("\n"), 1):  # a value may contain other line endings
        if not line.strip():
            continue
        try:
            one = json.loads(line)
        except ValueError as error:
            raise Refused(gettext("Line %(number)s is not valid JSON.") % {"number": number}) from error
        if not isinstance(one, dict) or set(one) != {"document", "fields"} or not isinstance(one["fields"], dict):
            raise Refused(
                gettext("Line %(number)s needs exactly two entries: document, and fields as an object.")
                % {"number": number}
            )
        yield number, one


def _check_line(number: int, one: Mapping[str, Any], fields: Mapping[str, FieldSpec]) -> UploadedCase:
    document = str(one["document"] or "").strip()
    if not document:
        raise Refused(gettext("Line %(number)s names no document.") % {"number": number})
    return UploadedCase(
        number,
        document,
        {name: _check_value(number, name, value, fields) for name, value in one["fields"].items()},
    )


def _check_value(number: int, name: str, value: Any, fields: Mapping[str, FieldSpec]) -> str | None:
    field = fields.get(name)
    if field is None:
        raise Refused(
            gettext("Line %(number)s has a field that this project does not have. Check the names of the fields.")
            % {"number": number}
        )
    if value is None or not str(value).strip():
        return None
    stored = results.to_stored_form(field.type, str(value))
    if stored is None or len(stored) > results.LONGEST:
        raise Refused(f"Line {number}, {field.name}: {results.WRITE.get(field.type, _SHORTEN)}")
    return stored


def list_known_fields(site: str, project: Project) -> Mapping[str, FieldSpec]:
    """Return every field that a document of the project may have, of all document types."""
    data = project.data.as_dict()
    fixed = str(data.get("classification_id") or "")
    governing = [schema_queries.get_governing(site, fixed)]
    if data.get("typing") and not fixed:
        governing = list(schema_queries.list_governing(site))
    return {field.name: field for one in governing for field in run_settings.freeze(data, one).fields}


def list_labels(site: str, project: Project) -> Mapping[str, str]:
    """Return the labels of these fields by name."""
    return {name: one.label for name, one in list_known_fields(site, project).items()}


def to_stored(cases: Iterable[UploadedCase]) -> bytes:
    return json.dumps([asdict(one) for one in cases], ensure_ascii=False).encode()


def uploaded_from(body: bytes) -> list[UploadedCase]:
    return [UploadedCase(**one) for one in json.loads(body)]


def find_documents(
    site: str, project_id: str, cases: Sequence[UploadedCase], fields: Mapping[str, FieldSpec]
) -> list[tuple[str, KnownAnswers]]:
    """Resolve each line's document by id, else by file name, with its answers; for tasks.

    Raises:
        Refused: a line matches no document, or several.

    """
    keys = {
        one.document: table.PROJECT_DOCUMENT.key(site, project_id=project_id, document_id=one.document)
        for one in cases
        if _may_be_id(one.document)
    }
    known = {str(row.document_id) for row in ProjectDocument.load_many(list(keys.values())) if row.hidden is None}
    named = _find_names(site, project_id, {one.document for one in cases} - known)
    found: dict[str, KnownAnswers] = {}
    for one in cases:
        ids = [one.document] if one.document in known else named.get(one.document, [])
        if len(ids) != 1:
            several = gettext("Line %(line)s names more than one document. Use its ID. Nothing was added.")
            none = gettext("Line %(line)s names no document of this project. Nothing was added.")
            raise Refused((several if ids else none) % {"line": one.line})
        found[ids[0]] = KnownAnswers(
            tuple(
                KnownField(name, fields[name].label, fields[name].type, value)
                for name, value in one.values.items()
                if name in fields
            )
        )
    return list(found.items())


def _may_be_id(text: str) -> bool:
    return len(text) <= 64 and text.replace("-", "").isalnum()


def _find_names(site: str, project_id: str, wanted: set[str]) -> dict[str, list[str]]:
    """Map file names to ids, among the documents that changed last."""
    found: dict[str, list[str]] = {}
    pk = table.PROJECT_DOCUMENT.gsi1_partition(site, project_id=project_id)
    for looked, row in enumerate(ProjectDocument.every(pk, index="GSI1", newest_first=True)):
        if not wanted or looked >= _MOST_LOOKED:
            break
        if row.name in wanted:
            found.setdefault(str(row.name), []).append(str(row.document_id))
    return found
