"""Conversion of a service's page reading to an OCR artifact entry: the contract's blocks and words, and our own."""

from collections.abc import Iterable, Sequence
from typing import Any

from workflows.stages import results
from workflows.stages.field_spec import FieldSpec
from workflows.stages.pages import layout
from workflows.stages.pages.reading import Answer, PageReading
from workflows.stages.services import GivenValue, alias


def entry(page: PageReading, size: tuple[int, int], source: str, specs: Sequence[FieldSpec] = ()) -> dict[str, Any]:
    """``size``: of the page's image in pixels; ``source``: the service, for fields that it was asked for."""
    width, height = size
    read = {
        "page_index": page.index,
        "content": page.text,
        "blocks": [_block(number, line, size) for number, line in enumerate(page.lines)],
        "width": width,
        "height": height,
        "slope": round(page.slope * height / width, 5),
        "scores": [round(line.score, 4) for line in page.lines],
        "words": layout.words_to_store(page.lines),
    }
    return read | _page_extras(page) | ({"given": given} if (given := _answers(page.answers, specs, source)) else {})


def _block(number: int, line: layout.Line, size: tuple[int, int]) -> dict[str, Any]:
    return {
        "block_id": number,
        "block_label": "text",
        "block_content": line.text,
        "block_bbox": [round(edge * size[i % 2]) for i, edge in enumerate(line.box)],
        "block_order": number + 1,
        "group_id": number,
    }


def _page_extras(page: PageReading) -> dict[str, Any]:
    """Return forms, tables and signatures; missing ones are omitted."""
    found = {
        "forms": [{"key": one.key, "value": one.value.text, "ticked": one.ticked} for one in page.fields],
        "tables": [table.markdown for table in page.tables],
        "signatures": [_box(one.box) for one in page.signatures if one.box],
    }
    return {name: things for name, things in found.items() if things}


def _answers(answers: Iterable[Answer], specs: Sequence[FieldSpec], source: str) -> list[dict[str, Any]]:
    """Return the answers that are valid for their fields' types."""
    known = {alias(spec.name): spec for spec in specs}
    found = []
    for one in answers:
        spec = known.get(one.alias)
        value = results.to_stored_form(spec.type, one.value.text) if spec else None
        if spec and value and (not spec.allowed or value in spec.allowed):
            place = {"page": one.value.page, "box": _box(one.value.box), "source": source}
            given = GivenValue(spec.name, value, one.value.text, round(one.value.score, 4))
            found.append({**vars(given), **place})
    return found


def _box(box: layout.Box | None) -> list[float] | None:
    return [round(edge, 5) for edge in box] if box else None
