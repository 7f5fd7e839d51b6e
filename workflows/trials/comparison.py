"""Comparison of two readings of a document, field by field, with the places of values on pages. Pure functions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from workflows.stages import results
from workflows.trials.documents import PageSize
from workflows.trials.outcome import TrialField


class Reading(Protocol):
    """One side's values, and the pages that it read."""

    @property
    def fields(self) -> tuple[TrialField, ...]: ...

    @property
    def pages(self) -> tuple[PageSize, ...]: ...


class Tried(Reading, Protocol):
    """Whether it failed, for a page or for all of them."""

    @property
    def has_failed(self) -> bool: ...


@dataclass(frozen=True)
class ComparedField:
    """``found``: by side, in order; None if it has no such field. ``differs``: if both answered and none failed."""

    name: str
    label: str
    found: tuple[TrialField | None, ...]
    differs: bool


@dataclass(frozen=True)
class ShownBox:
    """In pixels of the page. ``is_first``: found there by the first side; else only by the second."""

    name: str
    label: str
    x: float
    y: float
    width: float
    height: float
    is_first: bool


@dataclass(frozen=True)
class ShownPage:
    size: PageSize
    boxes: tuple[ShownBox, ...]


def compare_fields(answers: Sequence[Tried | None]) -> list[ComparedField]:
    sides = [{one.name: one for one in answer.fields} if answer else {} for answer in answers]
    labels = {name: one.label for side in reversed(sides) for name, one in side.items()}
    there = all(answer is not None and not answer.has_failed for answer in answers)
    rows = []
    for name, label in labels.items():
        found = tuple(side.get(name) for side in sides)
        values = {results.normalise_value(one.type, one.value) if one else "" for one in found}
        rows.append(ComparedField(name, label, found, there and len(values) > 1))
    return rows


def list_pages(answers: Sequence[Reading | None]) -> list[ShownPage]:
    """List the pages with an image."""
    known = next((answer.pages for answer in answers if answer and answer.pages), ())
    return [ShownPage(size, _list_boxes(size, answers)) for size in known if size.has_image]


def choose_page(pages: Sequence[ShownPage], typed: str) -> ShownPage | None:
    """``typed``: its number, 1-based; by default the first with a value. None without any image."""
    wanted = int(typed) - 1 if typed.isdecimal() and len(typed) < 6 else None
    with_boxes = (one for one in pages if one.boxes)
    asked = (one for one in pages if one.size.index == wanted)
    return next(asked, None) or next(with_boxes, None) or next(iter(pages), None)


def _list_boxes(size: PageSize, answers: Sequence[Reading | None]) -> tuple[ShownBox, ...]:
    """A place that both sides found is listed once, as the first side's."""
    boxes: dict[tuple[str, tuple[float, ...]], ShownBox] = {}
    for number, answer in enumerate(answers):
        for one in answer.fields if answer else ():
            if one.box is not None and one.page == size.index:
                boxes.setdefault((one.name, one.box), _box(one, one.box, size, is_first=not number))
    return tuple(boxes.values())


def _box(one: TrialField, box: tuple[float, float, float, float], size: PageSize, *, is_first: bool) -> ShownBox:
    x0, y0, x1, y1 = box
    return ShownBox(
        one.name,
        one.label,
        round(x0 * size.width, 1),
        round(y0 * size.height, 1),
        round((x1 - x0) * size.width, 1),
        round((y1 - y0) * size.height, 1),
        is_first,
    )
