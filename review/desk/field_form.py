"""The result as a form: fields, the reason each needs a check, and its place on the page."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from django.urls import reverse

from config import clock
from config.phrase import Phrase, join_phrases
from projects.documents.items import HANDED_OVER
from projects.schemas.labels.reading import NO_LABELS, Labels, isolate
from projects.settings.columns import TABLE, Column
from review.changes import PersonsChange
from review.desk.forms import TYPE_LABEL, WHY, differs
from review.desk.grid import Grid, grid_of
from review.items.reviews import Review
from workflows.stages.assessment import needs_review
from workflows.stages.assessment.answers import WITHOUT_VALUE, label_nothing
from workflows.stages.assessment.field_rules import Warn, describe_stored, list_warnings, localise
from workflows.stages.assessment.needs_review import (
    Reason,
)
from workflows.stages.assessment.reason_words import tell_reason
from workflows.stages.base import FieldSpec
from workflows.stages.document_types import of_result

_MOST_OTHERS = 3
DISPUTED = "disputed"  # a reason code that no assessment uses
_MARGIN = 24  # page units around a cut-out
_METER = 56  # units of the meter's drawing
_STRIP = 3  # pages on either side of the shown one
_BOOLEAN = {"true": Phrase("Yes"), "false": Phrase("No")}
_KEYBOARD = {"amount": "decimal", "number": "decimal"}


@dataclass(frozen=True)
class Box:
    """A box in page units, as SVG attributes."""

    x: str
    y: str
    width: str
    height: str


@dataclass(frozen=True)
class CellBox:
    """``key``: name of the cell's input. ``words``: its label."""

    key: str
    words: str
    page: int
    box: Box
    doubt: bool


@dataclass(frozen=True)
class Option:
    """An option of a field with allowed values. ``refused``: found or typed, but not allowed."""

    value: str
    label: str
    refused: bool = False


@dataclass(frozen=True)
class Reading:
    """A value found for a field. ``by``: its reader and confidence, if two kinds of readers found it."""

    value: str
    by: str = ""


@dataclass(frozen=True)
class Line:
    """One field beside the page. ``value``: as typed, else as shown; ``crop``: the cut-out's viewBox, or empty.

    ``default``: the value is the schema's default. ``change``: the previous person's change. ``settled``: this person
    has confirmed or corrected it.
    """

    spec: FieldSpec
    value: str
    shown: str
    confidence: float
    reasons: tuple[Reason, ...]  # the most important one first
    error: str
    sheet: "PageSheet | None"  # the page it was read from
    box: Box | None
    crop: str
    candidates: tuple[Reading, ...]
    readings: tuple[Reading, ...] = ()  # OCR's and the model's, if they differ
    default: bool = False
    rated: bool = True  # whether the value has a confidence
    change: PersonsChange | None = None
    settled: bool = False
    answer: str = ""  # why it has no value
    warnings: tuple[str, ...] = ()
    repair: str = ""  # a value that resolves a warning
    why: str = ""  # why it is right all the same, as typed
    stored: str = ""  # the stored form in words, if it differs from the text
    grid: Grid | None = None  # of a table
    cells: tuple["CellBox", ...] = ()  # the grid's cells on their pages
    names: Mapping[str, str] = field(default_factory=dict)  # of allowed values, in the person's language
    raw: str = ""  # the text it was read from
    agreed: bool = False  # doubted, and blind reviewers who looked at it gave the same value
    wrong: str = ""  # what is wrong with the value of a draft, before it is sent

    @property
    def page(self) -> int | None:
        return self.sheet.index if self.sheet else None

    @property
    def disagrees(self) -> bool:
        return self.asked and bool(self.readings)

    @property
    def nothing(self) -> str:
        """The placeholder of an empty input."""
        return label_nothing(self.answer) if self.answer or self.change else Phrase("Not found")

    @property
    def options(self) -> tuple[Option, ...]:
        """The options; empty if any value of the type is allowed."""
        allowed = self.spec.allowed
        if not allowed:
            return ()
        none = Option("", Phrase("Select a value") if self.spec.required else Phrase("Not on the document"))
        others = [one for one in dict.fromkeys((self.value, self.shown)) if one and one not in allowed]
        outside = (
            Option(one, Phrase("%(value)s (not an allowed value)").fill(value=one), refused=True) for one in others
        )
        words = {**(_BOOLEAN if self.spec.type == "boolean" else {}), **self.names}
        return (none, *outside, *(Option(one, words.get(one, one)) for one in allowed))

    @property
    def asked(self) -> bool:
        """Whether the field must be checked before approval."""
        return not self.agreed and (bool(self.reasons) or self.change is not None)

    @property
    def is_disputed(self) -> bool:
        return any(one.code == DISPUTED for one in self.reasons)

    @property
    def needs_look(self) -> bool:
        return self.asked or self.is_wrong or bool(self.warnings)

    @property
    def is_wrong(self) -> bool:
        return bool(self.error or self.wrong)

    @property
    def looks_right(self) -> bool:
        """Whether its box is ticked: not beside an error, except one that only asks why it is right."""
        return self.settled and not self.wrong and (not self.error or bool(self.warnings))

    @property
    def tone(self) -> str:
        return "good" if self.confidence >= self.spec.threshold else "warn" if self.value else "bad"

    @property
    def filled(self) -> str:
        return f"{_METER * self.confidence:.1f}"

    @property
    def notch(self) -> str:
        return f"M{_METER * self.spec.threshold:.1f} 0v8"

    @property
    def inputmode(self) -> str:
        return _KEYBOARD.get(self.spec.type, "text")


@dataclass(frozen=True)
class FieldNames:
    """Translated labels of a field's columns and allowed values, where they differ."""

    columns: tuple[Column, ...] = ()
    values: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, spec: FieldSpec, labels: Labels, classification_id: str) -> "FieldNames":
        if not labels:
            return cls()
        named = {value: labels.name_value(spec.name, value, "", classification_id) for value in spec.allowed}
        return cls(
            tuple(replace(one, label=labels.name_column(spec.name, one.name, one.label)) for one in spec.table_columns),
            {value: name for value, name in named.items() if name != value},
        )


@dataclass(frozen=True)
class PageSheet:
    """A document page in its own units; ``image`` is empty for text."""

    index: int
    width: int
    height: int
    image: str
    title: str = ""

    @property
    def picture(self) -> str:
        """As it is shown."""
        return f"{self.image}?size=page"

    @property
    def closer(self) -> str:
        """As it is shown enlarged."""
        return f"{self.image}?size=zoom"

    @property
    def thumb(self) -> str:
        return f"{self.image}?size=thumb"


@dataclass(frozen=True)
class TypeLine:
    """The document type, if it has to be checked."""

    doubt: str
    change: PersonsChange | None
    settled: bool


@dataclass(frozen=True)
class FieldForm:
    lines: tuple[Line, ...]
    notes: tuple[str, ...]
    pages: tuple[PageSheet, ...]
    shown: PageSheet | None
    text: str = ""  # text of another system, shown beside the fields
    type: TypeLine | None = None

    @property
    def specs(self) -> list[FieldSpec]:
        """As they are called here."""
        return [line.spec for line in self.lines]

    @cached_property
    def asked(self) -> dict[str, str]:
        """Field → label of everything that has to be checked."""
        kind = {of_result.KEY: TYPE_LABEL} if self.type else {}
        return kind | {line.spec.name: line.spec.label for line in self.to_check if line.asked}

    @cached_property
    def settled(self) -> tuple[str, ...]:
        kind = (of_result.KEY,) if self.type and self.type.settled else ()
        return (*kind, *(line.spec.name for line in self.lines if line.settled))

    @property
    def left(self) -> int:
        return len(self.asked) - len(self.settled)

    @property
    def wrong(self) -> int:
        return sum(line.is_wrong for line in self.lines)

    def with_draft_errors(self, errors: Mapping[str, str]) -> "FieldForm":
        """Say what is wrong with a draft beside its fields, except where its submission already did."""
        told = (replace(one, wrong="" if one.error else errors.get(one.spec.name, "")) for one in self.lines)
        return replace(self, lines=tuple(told))

    @cached_property
    def to_check(self) -> list[Line]:
        return _list_to_check(self.lines)

    @cached_property
    def left_to_check(self) -> list[Line]:
        return [line for line in self.to_check if not line.settled or line.is_wrong or line.warnings]

    @cached_property
    def checked(self) -> list[Line]:
        """Fields settled when the page was rendered; those settled later stay in place, so nothing moves.

        With them those that blind reviewers agree on: they can be read and changed, and nobody is asked again.
        """
        settled = [line for line in self.to_check if line.settled and not line.is_wrong and not line.warnings]
        return [*settled, *(line for line in self.lines if line.agreed and not line.needs_look)]

    @cached_property
    def sure(self) -> list[Line]:
        return [line for line in self.lines if not line.needs_look and not line.agreed and line.shown]

    @cached_property
    def not_found(self) -> list[Line]:
        """Optional fields without a value: nobody has to look, and nothing says that they are rightly empty."""
        return [line for line in self.lines if not line.needs_look and not line.agreed and not line.shown]

    @property
    def is_sure_corrected(self) -> bool:
        return any(line.value != line.shown for line in self.sure)

    @property
    def on_page(self) -> list[Line]:
        return [line for line in self.lines if self.shown and line.box and line.page == self.shown.index]

    @property
    def cells_on_page(self) -> list[CellBox]:
        return [cell for line in self.lines for cell in line.cells if self.shown and cell.page == self.shown.index]

    @property
    def strip(self) -> list[tuple[PageSheet, int]]:
        """The pages near the shown one and those with fields to check, with their number."""
        todo = [line.page for line in self.to_check]
        here = self.shown.index if self.shown else 0
        near = [page for page in self.pages if abs(page.index - here) <= _STRIP or page.index in todo]
        return [(page, todo.count(page.index)) for page in near]

    @property
    def following(self) -> PageSheet | None:
        """The next page, if it is an image."""
        found = next((page for page in self.pages if self.shown and page.index == self.shown.index + 1), None)
        return found if found and found.image else None

    @property
    def before(self) -> int | None:
        return self.shown.index if self.shown and self.shown.index > 0 else None

    @property
    def after(self) -> int | None:
        """Page numbers as people count, for the address."""
        return self.shown.index + 2 if self.shown and self.shown.index + 1 < len(self.pages) else None


def sheet_of(
    review: Review,
    result: Mapping[str, Any],
    fields: Sequence[FieldSpec],
    *,
    page: int | None = None,
    typed: Mapping[str, str] | None = None,
    errors: Mapping[str, str] | None = None,
    changes: Mapping[str, PersonsChange] | None = None,
    confirmed: Mapping[str, str] | None = None,
    answers: Mapping[str, str] | None = None,
    answered: Mapping[str, str] | None = None,
    day_first: bool = True,
    again: Sequence[Mapping[str, Any]] = (),
    disputed: Mapping[str, Sequence[str | None]] | None = None,
    agreed: Collection[str] = (),
    labels: Labels = NO_LABELS,
) -> FieldForm:
    """``page``: 0-based; without it the first page with something to check.

    ``changes``: field → change by the preceding approval; ``confirmed``: field → text confirmed as right.
    ``answers``: field → why it has no value; ``answered``: the same after the preceding approval.
    ``again``: readings of other models, from ``page_reading.list_readings``.
    ``disputed``: field → values of blind reviewers who differ; None: no value.
    ``agreed``: fields that enough of them looked at and gave the same value; their doubts are settled.
    ``labels``: the viewer's labels of fields, columns and allowed values.
    """
    type_id = str((result.get("classification") or {}).get("id") or "")
    if labels:
        fields = [replace(one, label=labels.name_field(one.name, one.label, type_id)) for one in fields]
    typed, changes, confirmed, answers, answered, disputed = (
        typed or {},
        changes or {},
        confirmed or {},
        answers or {},
        answered or {},
        disputed or {},
    )
    pages = tuple(_page(review, one) for one in result["pages"])
    # As of the day the review was opened: a date in the future then is a reason to review, however old by now.
    told = [replace(one, label=isolate(one.label)) for one in fields] if labels else fields
    why = needs_review.find_review_reasons(result, told, today=clock.parse(review.created_at).date().isoformat())
    differing = [Reason(name, DISPUTED, _describe_dispute(values)) for name, values in disputed.items()]
    by_field: dict[str, list[Reason]] = {}
    for one in (*differing, *why):
        if one.field:
            by_field.setdefault(one.field, []).append(one)
    found = {field["name"]: field for field in result["fields"]}
    by_index = {one.index: one for one in pages}
    today = clock.parse(review.created_at).date().isoformat()
    texts = {
        spec.name: ""
        if answers.get(spec.name) in WITHOUT_VALUE
        else localise(spec, typed.get(spec.name, str(found.get(spec.name, {}).get("value") or "")), day_first=day_first)
        for spec in fields
    }
    read = {name: one.get("value") for name, one in found.items()}
    warned = list_warnings(told, texts, today=today, read=read)
    lines = tuple(
        _line(
            spec,
            found.get(spec.name, {}),
            by_index,
            reasons=by_field.get(spec.name, ()),
            typed=typed,
            errors=errors or {},
            change=changes.get(spec.name),
            agreed=spec.name in agreed,
            confirmed=confirmed.get(spec.name),
            answer=answers.get(spec.name, ""),
            answered=answered.get(spec.name, ""),
            warned=[one for one in warned if one.field == spec.name],
            stored=describe_stored(spec, typed.get(spec.name, ""), day_first=day_first),
            named=FieldNames.of(spec, labels, type_id),
            again=[
                *(
                    Reading(value, Phrase("by a reviewer"))
                    for value in disputed.get(spec.name, ())
                    if value is not None
                ),
                *(Reading(one["values"][spec.name], one["model"]) for one in again if spec.name in one["values"]),
            ],
        )
        for spec in fields
    )
    notes = tuple(reason.text for reason in why if not reason.field)
    shown = by_index.get(_first(lines) if page is None else page) or (pages or (None,))[0]
    doubt = of_result.describe_type_doubt(result) or (Phrase("Reviewers differ.") if of_result.KEY in disputed else "")
    kind = None
    if of_result.KEY not in agreed:
        kind = _type_line(result, doubt, changes.get(of_result.KEY), confirmed.get(of_result.KEY))
    return FieldForm(lines, notes, pages, shown, str(result.get("text") or ""), kind)


def _describe_dispute(values: Sequence[str | None]) -> str:
    given = join_phrases(Phrase("no value") if one is None else one for one in values)
    return Phrase("Reviewers differ: %(values)s").fill(values=given)


def _type_line(
    result: Mapping[str, Any], doubt: str, change: PersonsChange | None, confirmed: str | None
) -> TypeLine | None:
    found = of_result.type_entry(result)
    if found is None or not (doubt or change):
        return None
    return TypeLine(doubt, change, confirmed == found["id"])


def _list_to_check(lines: Iterable[Line]) -> list[Line]:
    """Return what is to be checked, led by what reviewers differ on: only that is left to decide."""
    return sorted((line for line in lines if line.needs_look), key=lambda line: not line.is_disputed)


def _first(lines: Sequence[Line]) -> int:
    return next((line.page for line in _list_to_check(lines) if line.page is not None), 0)


def _page(review: Review, described: Mapping[str, Any]) -> PageSheet:
    index = int(described["index"])
    if review.document_id.startswith(HANDED_OVER):
        image = reverse("review:show-page", args=[review.document_id, review.reviewId, index])
    else:
        image = reverse("workflows:page-image", args=[review.project_id, review.document_id, index])
    title = str(described.get("title") or "")
    return PageSheet(
        index, int(described["width"]), int(described["height"]), image if described.get("image") else "", title
    )


def _line(
    spec: FieldSpec,
    found: Mapping[str, Any],
    pages: Mapping[int, PageSheet],
    *,
    reasons: Sequence[Reason],
    typed: Mapping[str, str],
    errors: Mapping[str, str],
    change: PersonsChange | None,
    agreed: bool,
    confirmed: str | None,
    answer: str,
    answered: str,
    warned: Sequence[Warn],
    stored: str,
    again: Sequence[Reading],
    named: FieldNames,
) -> Line:
    shown = str(found.get("value") or "")
    value = typed.get(spec.name, shown)
    said = bool(answer) and answer != answered
    checked = said or confirmed == value or differs(spec.type, value, shown)
    sheet = pages.get(found["page"]) if found.get("page") is not None else None
    box = found.get("box") if sheet else None
    read = _list_readings(found)
    is_table = spec.type == TABLE
    grid = grid_of(spec, found, value, checked=spec.name in errors, columns=named.columns) if is_table else None
    doubted = bool(reasons) or change is not None
    return Line(
        spec=spec,
        value=value,
        shown=shown,
        confidence=float(found.get("confidence") or 0.0),
        reasons=() if agreed else tuple(replace(one, text=tell_reason(one.text)) for one in reasons),
        error=errors.get(spec.name, ""),
        sheet=sheet,
        box=box_of(box, sheet) if box and sheet else None,
        crop=_crop(box, sheet) if box and sheet and not is_table else "",
        # A field with allowed values already lists them all.
        candidates=() if spec.allowed else _list_others(read, again, shown),
        readings=_list_both(read),
        default=found.get("source") == "default",
        raw=str(found.get("raw") or ""),
        rated=found.get("confidence", 0.0) is not None,
        change=change,
        settled=checked and doubted and not agreed,
        answer=answer if answer in WITHOUT_VALUE else "",
        warnings=tuple(tell_reason(one.text) for one in warned),
        repair=next((one.repair for one in warned if one.repair), ""),
        why=typed.get(f"{WHY}{spec.name}", ""),
        stored=stored,
        grid=grid,
        cells=tuple(_cell_boxes(grid, pages)) if grid else (),
        names=named.values,
        agreed=doubted and agreed,
    )


def _list_readings(found: Mapping[str, Any]) -> list[Reading]:
    """Return the distinct values found for a field, with readers if both OCR and a model read it."""
    known = [one for one in found.get("candidates", ()) if one.get("value")]
    told = len({_reader_of(one) for one in known}) > 1
    by_value: dict[str, Reading] = {}
    for one in known:
        by = f"{_reader_of(one)}, {int(float(one.get('confidence') or 0.0) * 100 + 1e-9)} %" if told else ""
        by_value.setdefault(str(one["value"]), Reading(str(one["value"]), by))
    return list(by_value.values())


def _list_others(read: Sequence[Reading], again: Sequence[Reading], shown: str) -> tuple[Reading, ...]:
    """List readings of other models first, since a person asked for them."""
    by_value: dict[str, Reading] = {}
    for one in (*again, *read):
        if one.value != shown:
            by_value.setdefault(one.value, one)
    return tuple(by_value.values())[: _MOST_OTHERS + len(again)]


def _reader_of(candidate: Mapping[str, Any]) -> str:
    """Return who read a value: a model's values are searched on the page; if the rules found it too, both read it."""
    evidence = candidate.get("evidence") or {}
    return "model" if "on_page" in evidence and "agreed" not in evidence else "OCR"


def _list_both(readings: Sequence[Reading]) -> tuple[Reading, ...]:
    """Return the best readings of OCR and of the model, if they differ."""
    first = {one.by.partition(",")[0]: one for one in reversed(readings) if one.by}
    return tuple(sorted(first.values(), key=readings.index)) if len(first) > 1 else ()


def _cell_boxes(grid: Grid, pages: Mapping[int, PageSheet]) -> Iterator[CellBox]:
    for cell in grid.cells:
        sheet = None if cell.page is None else pages.get(cell.page)
        if cell.box and sheet:
            yield CellBox(cell.key, cell.words, sheet.index, box_of(cell.box, sheet), cell.doubt)


def box_of(box: Sequence[float], page: PageSheet) -> Box:
    """Convert fractions of the page to page units."""
    x, y, right, bottom = box[0] * page.width, box[1] * page.height, box[2] * page.width, box[3] * page.height
    return Box(f"{x:.1f}", f"{y:.1f}", f"{right - x:.1f}", f"{bottom - y:.1f}")


def _crop(box: Sequence[float], page: PageSheet) -> str:
    x, y = box[0] * page.width - _MARGIN, box[1] * page.height - _MARGIN
    width, height = (box[2] - box[0]) * page.width + 2 * _MARGIN, (box[3] - box[1]) * page.height + 2 * _MARGIN
    return f"{x:.1f} {y:.1f} {width:.1f} {height:.1f}"
