"""Stage segment_analyzer, locally: document type and fields by rules, with places and confidence."""

import functools
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import asdict
from typing import Any

from config.errors import NotFound
from config.phrase import Sentence, count_sentence
from projects.settings.columns import TABLE
from workflows.stages import artifacts, fields, file_kinds, results, slices, usage
from workflows.stages.assessment import field_rules, proofs
from workflows.stages.base import FieldSpec, RunSettings, SliceResult, Slicing, StageContext, StageResult, Tally
from workflows.stages.document_types import typed
from workflows.stages.document_types.document_type import document_type
from workflows.stages.extractor import learned, merging
from workflows.stages.fields import checks, dates, given, printed
from workflows.stages.fields.candidates import RULES, Candidate, Document
from workflows.stages.formats import einvoice, videos
from workflows.stages.formats.einvoice import EInvoiceItems
from workflows.stages.models import model_pages
from workflows.stages.pages import layout, paged, text_page
from workflows.stages.slices import name_pages
from workflows.stages.tables import reading as tables
from workflows.stages.text.language import find_language
from workflows.stages.usage import Usage
from workflows.storage import files

# Issuer, date and number are at the front, sums at the end; pages in between would only cost memory.
FIRST, LAST = 8, 4
SHOWN = 5  # candidates kept for the reviewer
DEFAULT = "default"


def run(context: StageContext) -> StageResult:
    return slices.run_all(SLICING, context)


def _plan(context: StageContext) -> Sequence[int]:
    typed.ask_type(context, lambda: _first_pages(context), lambda: bool(_invoice(context)))
    return slices.select_requested(context, range(_count(context)))


def _first_pages(context: StageContext) -> Document:
    """Return the pages that determine the document's type."""
    indices = range(min(typed.ASKED, _count(context)))
    return Document(tuple(page_of(artifacts.read_json(context.artifacts, files.segment(index))) for index in indices))


def _labels(context: StageContext) -> frozenset[str]:
    """Return the labels of every field that the document may have."""
    own = fields.field_spellings(context.settings.fields)
    return own.union(*(fields.field_spellings(one.fields) for one in context.types.types))


def _count(context: StageContext) -> int:
    return int(paged.PREPARED.open_pages(context.artifacts).head["segment_count"])


def _work(context: StageContext, indices: Sequence[int]) -> SliceResult:
    described: list[dict[str, Any]] = []
    unread: dict[int, str] = {}
    used: list[Usage] = []
    analyses: dict[int, Sequence[Mapping[str, str]]] = {}
    count = _count(context)

    def analyse(index: int) -> None:
        segment = artifacts.read_json(context.artifacts, files.segment(index))
        page = page_of(segment)
        described.append(line := _description(segment, page))
        if segment["status"] == "failed":
            unread[index] = segment["error"]
        elif segment["status"] != "completed":
            used.extend(
                model_pages.ask_model_for_page(context, segment, page, searched=is_searched(index, count), count=count)
            )
            _analyse_segment(context, segment, page)
        if segment["status"] == "completed":
            analyses[index] = segment["ai_analysis"]
        line.update({name: True for name in ("unanswered", "left_out") if name in segment})

    failed = slices.do_each_page(context, indices, analyse)
    for index, sentence in failed.items():
        segment = artifacts.read_json(context.artifacts, files.segment(index))
        artifacts.write_json(context.artifacts, files.segment(index), segment | {"status": "failed", "error": sentence})
    return SliceResult(unread | failed, usage.usage_counts(used), output=described, analyses=analyses)


def _finish(context: StageContext, done: Tally) -> StageResult:
    count = _count(context)
    described = _describe_segments(context, done)
    segments = [
        artifacts.read_json(context.artifacts, files.segment(index))
        for index in range(count)
        if is_searched(index, count)
    ]
    document = Document(tuple(page_of(segment) for segment in segments), _labels(context))
    read = [one for segment in segments for one in segment.get("given", ())]
    invoice = _invoice(context)
    exact: Mapping[str, str] = invoice.get("values", {})
    items = EInvoiceItems.from_stored(invoice)
    texts = {page.index for page in document.pages if page.source == text_page.SOURCE}

    @functools.cache
    def read_given_fields(spec: FieldSpec) -> dict[str, Any]:
        if spec.type == TABLE:
            one = _describe_policy(spec) | {"columns": spec.columns} | tables.read_table(document, spec, items)
        else:
            one = _field(spec, _candidates(context, document, spec, read), exact)
        _hide_places([one], texts)
        return one

    said = _read_document(context, document, read_given_fields, is_invoice=bool(exact))
    said["fields"] = _add_learned(context, document, said)
    _hide_places(said["fields"], texts)
    if most_wrong := context.settings.most_wrong:
        paused = context.settings.calibration_paused
        said["fields"] = proofs.add_proofs(said["fields"], context.calibration, most_wrong, paused=paused)
    plain = [field for field in said["fields"] if field["type"] != TABLE]
    ruled = [field for field in plain if field["source"] in {RULES, learned.SOURCE}]
    written = [field for field in plain if field["source"] == einvoice.SOURCE]
    unanswered = _list_unanswered(context, described)
    result = {
        "version": 1,
        **said,
        "pages": described,
        "day_first": dates.is_day_first(document.text),
        "language": _language_of(context, document),
        "checks": [
            *checks.list_contradictions(document, ruled),
            *printed.compare_with_print(document, written),
            *map(asdict, tables.list_table_checks(said["fields"])),
        ],
        "notes": [*_notes(context, described, done.failed), *unanswered],
    }
    artifacts.write_json(context.artifacts, files.result(context.workflow_id), result)
    filled = sum(field["value"] is not None for field in said["fields"])
    facts: dict[str, Any] = {"document_type": said["document_type"], "fields": filled}
    if context.settings.document_prompt and context.services.analyst is None:
        facts["prompt_unused"] = True  # only models use the project's prompt
    used = usage.sum_usage([*usage.of_counts(done.counts), *typed.type_usage(context)])
    return StageResult("completed", ". ".join(unanswered) or None, facts, done.failed, used)


def _language_of(context: StageContext, document: Document) -> str:
    """Return the language that was heard in a recording, else the project's unless the text is in another."""
    heard = paged.TRANSCRIPT.open_pages(context.artifacts).head.get("results") or {}
    return find_language(document.text, str(heard.get("language_code") or context.settings.language))


def _add_learned(context: StageContext, document: Document, said: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Merge values of the run's extractor, trained on documents of this type."""
    type_id = str((said["classification"] or {}).get("id") or "")
    known = context.extractor.types.get(type_id, {})
    return merging.add_learned_values(
        said["fields"], document, known, calibrated=frozenset(context.calibration.weights)
    )


def _read_document(context: StageContext, document: Document, read: typed.Read, *, is_invoice: bool) -> dict[str, Any]:
    """Classify the document and extract its fields: of the type found, else those of the run."""
    found = typed.classify_document(context, document, is_invoice=is_invoice)
    if found is None:
        return {
            "document_type": document_type(document.text),
            "classification": _classification(context.settings),
            "fields": [read(spec) for spec in context.settings.fields],
        }
    kind, fields_read = typed.type_result_entry(context, found, read)
    return {
        "document_type": kind["name"] if kind["id"] else document_type(document.text),
        "classification": {name: kind[name] for name in ("id", "name", "version")} if kind["id"] else None,
        "type": kind,
        "fields": fields_read,
    }


SLICING = Slicing(paged.LIGHT, _plan, _work, _finish, aligned=True)


def is_searched(index: int, count: int) -> bool:
    """Return whether fields are extracted from this page (0-based) of ``count``."""
    return index < FIRST or index >= count - LAST


def _candidates(
    context: StageContext, document: Document, spec: FieldSpec, read: Sequence[dict[str, Any]]
) -> list[Candidate]:
    """Return the rules' candidates, after those of a service, if one was used."""
    ruled = fields.find_candidates(document, spec, context.calibration)
    return given.merge_candidates(spec, given.read_candidates(read, spec), ruled)


def _describe_segments(context: StageContext, done: Tally) -> list[dict[str, Any]]:
    """Return a line a page, which is all that is held of all pages; a retry replaces its pages' lines."""
    lines = {line["index"]: line for output in done.outputs for line in output}
    if context.only is not None:
        before = artifacts.read_json(context.artifacts, files.result(context.workflow_id))["pages"]
        lines = {line["index"]: line for line in before} | lines
    return [lines[index] for index in sorted(lines)]


def _classification(settings: RunSettings) -> dict[str, Any] | None:
    """Return the schema of the fields and its version; None for the project's own list."""
    if not settings.classification_id:
        return None
    return {
        "id": settings.classification_id,
        "name": settings.classification_name,
        "version": settings.classification_version,
    }


def page_of(segment: dict[str, Any]) -> layout.Page:
    """Return a segment's text with places, as the input of extraction."""
    if segment["source"] == text_page.SOURCE:
        return text_page.page(segment["segment_index"], segment["text_content"])
    return layout.Page(
        index=segment["segment_index"],
        width=segment["width"],
        height=segment["height"],
        source=segment["source"],
        lines=layout.lines_of(segment["words"], segment["segment_index"]),
        slope=segment["slope"],
    )


def _description(segment: dict[str, Any], page: layout.Page) -> dict[str, Any]:
    return {
        "index": page.index,
        "width": page.width,
        "height": page.height,
        "image": files.page_image(page.index) if segment["image_uri"] else None,
        "title": segment.get("page_title", ""),
        "source": page.source,
        "words": sum(len(line.words) for line in page.lines),
    }


def _analyse_segment(context: StageContext, segment: dict[str, Any], page: layout.Page) -> None:
    is_text = page.source == text_page.SOURCE
    text = segment["text_content"] if is_text else "\n".join(row.text for row in page.rows)
    text = segment.pop("description", "") or text
    question = f"Page {page.index + 1} Analysis"
    segment["ai_analysis"] = [
        {"analysis_query": question, "content": text or Sentence("The page has no readable text.")}
    ]
    segment["status"] = "completed"
    artifacts.write_json(context.artifacts, files.segment(page.index), segment)


def _invoice(context: StageContext) -> dict[str, Any]:
    """Return the values of an XML invoice, alone or inside the PDF; empty for other files."""
    try:
        invoice: dict[str, Any] = artifacts.read_json(context.artifacts, files.EINVOICE)
    except NotFound:
        return {}
    return invoice


def _hide_places(found: Iterable[dict[str, Any]], without: Set[int]) -> None:
    """Remove boxes from values in text; ``without``: the text segments."""
    candidates = (candidate for field in found for candidate in field["candidates"])
    cells = (cell for field in found for row in field.get("rows", ()) for cell in row)
    for one in (*found, *candidates, *cells):
        if one["page"] in without:
            one["box"] = None


def _field(spec: FieldSpec, found: Sequence[Candidate], exact: Mapping[str, str]) -> dict[str, Any]:
    """Include the policy, so that pages that show the result read nothing else."""
    best = found[0] if found else None
    if written := einvoice.value_of(exact, spec):
        shown = _written_entry(spec, written, found)
    else:
        shown = _reading_entry(best) if best or not spec.default else _default_entry(spec.default)
    return {
        **_describe_policy(spec),
        **shown,
        "candidates": [
            {
                "value": candidate.value,
                "raw": candidate.raw,
                "confidence": candidate.confidence,
                "page": candidate.page,
                "box": _round_box(candidate.box),
                "evidence": {name: round(value, 3) for name, value in candidate.evidence.items()},
            }
            for candidate in found[:SHOWN]
        ],
    }


def _describe_policy(spec: FieldSpec) -> dict[str, Any]:
    return {
        "name": spec.name,
        "label": spec.label,
        "type": spec.type,
        "required": spec.required,
        "threshold": spec.threshold,
        "allowed": list(spec.allowed),
        "default": spec.default,
        "date_range": spec.date_range,
    }


def _reading_entry(best: Candidate | None) -> dict[str, Any]:
    return {
        "value": best.value if best else None,
        "raw": best.raw if best else None,
        "confidence": best.confidence if best else 0.0,
        "page": best.page if best else None,
        "box": _round_box(best.box) if best else None,
        "source": best.source if best else RULES,
    }


def _written_entry(spec: FieldSpec, value: str, found: Sequence[Candidate]) -> dict[str, Any]:
    """Return the value from the XML, with its place on the page if printed.

    It is what the seller wrote, and certain only if it can be right: an IBAN's check digits tell one that is not.
    """
    same = (
        one
        for one in found
        if results.normalise_value(spec.type, one.value) == results.normalise_value(spec.type, value)
    )
    return _reading_entry(next(same, None)) | {
        "value": value,
        "raw": value,
        "confidence": 0.0 if field_rules.describe_bad_number(spec, value) else 1.0,
        "source": einvoice.SOURCE,
    }


def _default_entry(default: str) -> dict[str, Any]:
    """An admin chose the default for missing values, so it needs no review."""
    return {"value": default, "raw": None, "confidence": 1.0, "page": None, "box": None, "source": DEFAULT}


def _round_box(box: layout.Box) -> list[float] | None:
    """Return None if the place is unknown."""
    return None if box == given.WHOLE else [round(value, 5) for value in box]


def _notes(context: StageContext, pages: Sequence[dict[str, Any]], failed: frozenset[int]) -> list[str]:
    """List messages that belong to no field; each is a reason for a review."""
    notes: list[str] = [videos.NOTE] if file_kinds.is_video(context.file_type) else []
    if file_kinds.has_sound(context.file_type) and (
        note := paged.TRANSCRIPT.open_pages(context.artifacts).head.get("note")
    ):
        notes.append(note)
    if note := paged.OCR.open_pages(context.artifacts).head.get("note"):
        notes.append(note)
    if failed:
        notes.append(Sentence("Failed pages are missing: %(pages)s").fill(pages=_name_pages(failed)))
    if all(page["words"] == 0 for page in pages):
        notes.append(Sentence("No page has readable text"))
    return notes


def _list_unanswered(context: StageContext, pages: Sequence[Mapping[str, Any]]) -> list[str]:
    """List what rules did in place of a model without a valid answer."""
    found: list[str] = []
    if typed.find_unanswered(context):
        found.append(Sentence("The model gave no usable answer for the document type; built-in rules were used"))
    if indices := [page["index"] for page in pages if page.get("unanswered")]:
        found.append(
            count_sentence(
                "The model gave no usable answer for page %(pages)s; built-in rules were used",
                "The model gave no usable answer for pages %(pages)s; built-in rules were used",
                len(indices),
                pages=_name_pages(indices),
            )
        )
    if indices := [page["index"] for page in pages if page.get("left_out")]:
        found.append(
            count_sentence(
                "The model gave no usable answer for some fields of page %(pages)s; built-in rules were used",
                "The model gave no usable answer for some fields of pages %(pages)s; built-in rules were used",
                len(indices),
                pages=_name_pages(indices),
            )
        )
    return found


def _name_pages(indices: Collection[int]) -> str:
    return name_pages(sorted(indices), SHOWN)
