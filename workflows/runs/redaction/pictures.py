"""Redaction of page images: words of personal values are painted over on the server."""

import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from PIL import Image, ImageDraw

from config.errors import NotAllowed
from projects.personal.queries import PersonalFields
from workflows.runs.redaction.documents import CLOSED, load_personal_values
from workflows.runs.redaction.words import Secrets, read_secrets
from workflows.stages import artifacts
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

Box = Sequence[float]  # left, top, right, bottom as shares of the page
_MARGIN = 0.004  # of the page's longer side, on each side of a box
_COLOUR = (32, 36, 44)


def paint_page(store: DocumentFiles, body: bytes, hidden: PersonalFields, workflow_id: str, index: int) -> bytes:
    """Return the image of a page, ``index`` 0-based, with the values of ``hidden`` fields painted over.

    Raises:
        NotAllowed: what to redact is unknown.
        NotFound: nothing was read of the page.

    """
    fields = load_personal_values(store, hidden, workflow_id)
    segment = artifacts.read_json(store, files.segment(index))
    return paint_over(body, find_boxes(segment, index, read_secrets(fields), fields))


def find_boxes(
    segment: Mapping[str, Any], index: int, secrets: Secrets, fields: Sequence[Mapping[str, Any]]
) -> list[Box]:
    """Return the boxes to paint over; ``fields``: the personal ones, ``index``: of the page, 0-based.

    Raises:
        NotAllowed: a value's place is unknown, so it may be anywhere.

    """
    words = [one for one in segment.get("words") or () if one.get("box")]
    hits = secrets.find_words([str(one["text"]) for one in words])
    boxes: list[Box] = [one["box"] for one, hit in zip(words, hits, strict=True) if hit]
    for field in fields:
        cells = [cell for row in field.get("rows") or () for cell in row if cell.get("value")]
        placed = [one for one in (field, *cells) if one.get("box") and one.get("page") == index]
        boxes += [one["box"] for one in placed]
        if field.get("value") and not field.get("box") and not any(one.get("box") for one in cells) and not any(hits):
            raise NotAllowed(CLOSED)
    if not words and any(field.get("value") for field in fields):
        raise NotAllowed(CLOSED)  # an image without known words
    return boxes


def paint_over(body: bytes, boxes: Iterable[Box]) -> bytes:
    """Return the image as PNG without metadata. Raises: NotAllowed if it cannot be decoded."""
    try:
        with Image.open(io.BytesIO(body)) as image:
            painted = image.convert("RGB")
    except (OSError, SyntaxError, ValueError) as error:
        raise NotAllowed(CLOSED) from error
    draw = ImageDraw.Draw(painted)
    width, height = painted.size
    margin = max(width, height) * _MARGIN
    for left, top, right, bottom in boxes:
        edges = (left * width - margin, top * height - margin, right * width + margin, bottom * height + margin)
        draw.rectangle(edges, fill=_COLOUR)
    made = io.BytesIO()
    painted.save(made, "PNG")
    return made.getvalue()
