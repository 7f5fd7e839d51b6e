"""Draft and production side by side: field by field, and where each found its values on the pages; pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from workflows.stages import results
from workflows.trials.documents import PageSize
from workflows.trials.outcome import TrialField
from workflows.trials.queries import Answer


@dataclass(frozen=True)
class ComparedField:
    """``found``: of each side in their order, None if it has no such field. ``differs``: once both have answered."""

    name: str
    label: str
    found: tuple[TrialField | None, ...]
    differs: bool


@dataclass(frozen=True)
class ShownBox:
    """In pixels of the page. ``is_draft``: where the draft found it; otherwise only production did, or elsewhere."""

    name: str
    label: str
    x: float
    y: float
    width: float
    height: float
    is_draft: bool


@dataclass(frozen=True)
class ShownPage:
    size: PageSize
    boxes: tuple[ShownBox, ...]


def compare_fields(answers: Sequence[Answer | None]) -> list[ComparedField]:
    """``answers``: draft, production."""
    sides = [{one.name: one for one in answer.outcome.fields} if answer else {} for answer in answers]
    labels = {name: one.label for side in reversed(sides) for name, one in side.items()}
    there = all(answer is not None for answer in answers)
    rows = []
    for name, label in labels.items():
        found = tuple(side.get(name) for side in sides)
        values = {results.normalise_value(one.type, one.value) if one else "" for one in found}
        rows.append(ComparedField(name, label, found, there and len(values) > 1))
    return rows


def list_pages(answers: Sequence[Answer | None]) -> list[ShownPage]:
    """Those with a picture."""
    known = next((answer.pages for answer in answers if answer), ())
    return [ShownPage(size, _list_boxes(size, answers)) for size in known if size.has_image]


def _list_boxes(size: PageSize, answers: Sequence[Answer | None]) -> tuple[ShownBox, ...]:
    """The same place of both sides once, as the draft's."""
    boxes: dict[tuple[str, tuple[float, ...]], ShownBox] = {}
    for answer, is_draft in zip(answers, (True, False), strict=True):
        for one in answer.outcome.fields if answer else ():
            if one.box is not None and one.page == size.index:
                boxes.setdefault((one.name, one.box), _box(one, one.box, size, is_draft=is_draft))
    return tuple(boxes.values())


def _box(one: TrialField, box: tuple[float, float, float, float], size: PageSize, *, is_draft: bool) -> ShownBox:
    x0, y0, x1, y1 = box
    return ShownBox(
        one.name,
        one.label,
        round(x0 * size.width, 1),
        round(y0 * size.height, 1),
        round((x1 - x0) * size.width, 1),
        round((y1 - y0) * size.height, 1),
        is_draft,
    )
