"""Detection of tables on pages, ruled or not: a heading that matches the schema's columns, and rows until the sums."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby, pairwise, product
from statistics import median

from projects.settings.columns import Column
from workflows.stages import values
from workflows.stages.fields import totals
from workflows.stages.fields.candidates import Document
from workflows.stages.pages.layout import Box, Row, Word, union
from workflows.stages.tables import arithmetic
from workflows.stages.tables.headings import FIGURES, Head, columns_of, concept_of, find_head
from workflows.stages.tables.rows import MOST_ROWS, to_stored_cell

_ENDS = re.compile(
    r"^\W*((sub|sous)\W?total|(grand |invoice |net |gross )?total|total\w*|sum(me|ma)?\b|net\b|nett\w*|positionssumme|"
    r"gesamt\w*|zwischensumme|warenwert|betrag|balance|amount (due|payable|in words)|(sales )?tax\b|vat\b|mwst|ust\b|"
    r"umsatzsteuer|zzgl|tva\b|iva\b|btw\b|gst\b|montant total|importe total|importo totale|totaal|base imponible|"
    r"imponibile|discount|rabatt|remise|shipping|versand|carried|übertrag|rechnungsbetrag|endbetrag)",
    re.IGNORECASE,
)
# A sum in a line of text below its table, as letters have it: Subtotal: 51.00.
_SAID = re.compile(
    r"\W{0,9}((sub|sous)\W?total|(grand |invoice |net |gross )?total|net|netto|sum(me)?|somme|zwischensumme|"
    r"nettobetrag|gesamtbetrag|rechnungsbetrag|balance|amount due)( due| amount| net| gross)?\s{0,3}:?[^\w.,]{0,5}"
    r"([A-Z]{3}\s)?[^\w.,]{0,3}\d[\d.,' ]{0,15}[.,]\d\d[^\w.,]{0,3}([A-Z]{3})?\W{0,9}",
    re.IGNORECASE,
)
_CARRIED = re.compile(r"carried|übertrag|report\b|continue[ds]?\b|fortsetzung|à reporter", re.IGNORECASE)
_DECIMALS = re.compile(r"\d[.,]\d\d\b")
_TIMES = re.compile(r"\s{0,20}(x|×|/|per|@)(?!\w)", re.IGNORECASE)
_LONGEST_SUM = 60  # characters of a row that only labels a sum
_WORD = re.compile(r"[^\W\d_]{3,}")
_FAR = 3.0  # of the usual row distance: what is further below is not part of the table
_SPACE = 0.5  # of the height of words: a wider gap is not a space
_MOST_LINES = 4  # lines of text below the last figures that still belong to their row


@dataclass(frozen=True)
class Cell:
    """``text`` in stored form if it is valid for its column; ``box`` None: empty."""

    text: str
    page: int
    box: Box | None = None
    score: float = 1.0
    valid: bool = True


@dataclass(frozen=True)
class FoundTable:
    """``rows``: a cell for each column of the schema. ``ended``: whether a sum follows."""

    rows: tuple[tuple[Cell, ...], ...]
    pages: tuple[int, ...]
    ended: bool = False

    @property
    def texts(self) -> list[list[str]]:
        return [[cell.text for cell in row] for row in self.rows]


@dataclass(frozen=True)
class _Line:
    """A row of the page, split by heading."""

    row: Row
    box: Box
    words: tuple[tuple[Word, ...], ...]

    def text(self, place: int) -> str:
        return " ".join(word.text for word in self.words[place])

    @property
    def middle(self) -> float:
        return (self.box[1] + self.box[3]) / 2


@dataclass(frozen=True)
class _Sheet:
    """A page with its rows. ``aspect``: the page's height divided by its width."""

    index: int
    rows: tuple[Row, ...]
    aspect: float


@dataclass(frozen=True)
class _Layout:
    """``places``: the heading of each schema column, None if missing."""

    head: Head
    columns: tuple[Column, ...]
    places: tuple[int | None, ...]

    @cached_property
    def figures(self) -> list[tuple[int, Column]]:
        return [(place, column) for place, column in self._placed if column.type != "text"]

    @cached_property
    def texts(self) -> list[int]:
        return [place for place, column in self._placed if column.type == "text"]

    @cached_property
    def amount(self) -> int | None:
        return next((place for place, column in self._placed if concept_of(column) == "amount"), None)

    @property
    def _placed(self) -> list[tuple[int, Column]]:
        return [(place, column) for place, column in zip(self.places, self.columns, strict=True) if place is not None]

    def filled(self, line: _Line) -> list[int]:
        """Return the columns in which the line has a figure."""
        return [place for place, column in self.figures if _is_figure(line.text(place), column)]


def find_table(document: Document, columns: Sequence[Column]) -> FoundTable | None:
    """Return the table with most rows that match the columns, over all its pages; None if there is none."""
    rows = {index: tuple(held) for index, held in groupby(document.rows, key=lambda row: row.page)}
    sheets = [_Sheet(page.index, rows.get(page.index, ()), page.height / max(page.width, 1)) for page in document.pages]
    found = [one for start in range(len(sheets)) for one in _tables_from(sheets, start, columns)]
    return max(found, key=lambda one: _fitting(one, columns), default=None)


def _fitting(table: FoundTable, columns: Sequence[Column]) -> tuple[int, int, int]:
    """Prefer rows that add up, then rows, then text cells."""
    adding = sum(arithmetic.adds_up(columns, row) is True for row in table.texts)
    words = sum(
        len(cell.text) for row in table.rows for cell, column in zip(row, columns, strict=True) if column.type == "text"
    )
    return adding, len(table.rows), words


def _tables_from(sheets: Sequence[_Sheet], start: int, columns: Sequence[Column]) -> Iterator[FoundTable]:
    """Yield the tables that begin on a page, continued on the next pages until they end."""
    sheet, number = sheets[start], 0
    while number < len(sheet.rows):
        head = find_head(sheet.rows, number, columns, sheet.aspect)
        if head is None:
            number += 1
            continue
        table, number = _read_page(sheet, head, columns)
        for following in sheets[start + 1 :]:
            if table.ended or not table.rows or len(table.rows) >= MOST_ROWS:
                break
            more = _continue(following, head, columns)
            if not more.rows:
                break
            table = FoundTable((*table.rows, *more.rows), (*table.pages, following.index), more.ended)
        if table.rows:
            yield replace(table, rows=table.rows[:MOST_ROWS])


def _continue(sheet: _Sheet, head: Head, columns: Sequence[Column]) -> FoundTable:
    """Continue under the repeated heading, else from the top at the previous columns."""
    again = (find_head(sheet.rows, number, columns, sheet.aspect) for number in range(len(sheet.rows)))
    found = next(filter(None, again), Head(head.headings, -1))
    return _read_page(sheet, found, columns)[0]


def _read_page(sheet: _Sheet, head: Head, columns: Sequence[Column]) -> tuple[FoundTable, int]:
    """Return the rows of this page under ``head``, and the number of the row that follows."""
    body = sheet.rows[head.last + 1 :]
    edges = _edges(head, _before_sums(body))
    lines = [_split(row, head, edges, sheet.aspect) for row in body]
    best, used = FoundTable((), (sheet.index,)), 0
    choices: list[Sequence[int | None]] = [choice or (None,) for choice in columns_of(head, columns)]
    for places in product(*choices):
        named = [place for place in places if place is not None]
        if len(set(named)) < len(named):
            continue
        table, taken = _read_lines(sheet.index, lines, _Layout(head, tuple(columns), places))
        if _fitting(table, columns) > _fitting(best, columns):
            best, used = table, taken
    return best, head.last + 1 + used


def _before_sums(body: Sequence[Row]) -> Sequence[Row]:
    """Return the rows that define column positions, without sums and what follows."""
    end = next((number for number, row in enumerate(body) if _ENDS.search(row.text)), len(body))
    return body[: min(end or len(body), MOST_ROWS)]


def _edges(head: Head, body: Sequence[Row]) -> list[float]:
    """Return the boundary between adjacent headings: the widest place that the fewest words below cross."""
    words = [box for row in body for line in row.lines for box in _boxes(line.words)]
    edges = []
    for left, right in pairwise(head.headings):
        low, high = sorted((left.box[2], right.box[0]))
        edges.append(_emptiest(low, high, words))
    return edges


def _boxes(words: Sequence[Word]) -> list[Box]:
    """Return the box of each word, joining a currency with its amount, which no boundary may separate."""
    boxes: list[Box] = []
    joins = False
    for word in words:
        is_currency = values.currency(word.text) is not None
        if boxes and (joins or is_currency):
            boxes[-1] = union((boxes[-1], word.box))
        else:
            boxes.append(word.box)
        joins = is_currency and not joins
    return boxes


def _emptiest(low: float, high: float, boxes: Sequence[Box]) -> float:
    near = [box for box in boxes if box[2] > low and box[0] < high]
    marks = sorted({low, high, *(edge for box in near for edge in (box[0], box[2]) if low < edge < high)})
    spans = [(sum(box[0] < (a + b) / 2 < box[2] for box in near), a - b, (a + b) / 2) for a, b in pairwise(marks)]
    return min(spans)[2] if spans else (low + high) / 2


def _split(row: Row, head: Head, edges: Sequence[float], aspect: float) -> _Line:
    cells: list[list[Word]] = [[] for _ in head.headings]
    if len(row.lines) == 1 and _DECIMALS.search(row.text) is None:
        first = row.lines[0].words[0].box
        place = sum((first[0] + first[2]) / 2 > edge for edge in edges)
        if head.headings[place].concept not in FIGURES:  # one run of words, however long
            cells[place] = list(row.lines[0].words)
            return _Line(row, row.box, tuple(tuple(cell) for cell in cells))
    for line in row.lines:
        before, last = 0, None
        for word in line.words:
            place = sum((word.box[0] + word.box[2]) / 2 > edge for edge in edges)
            if last and place > before and _runs_on(last, word, head, (before, place), aspect):
                place = before
            cells[place].append(word)
            before, last = place, word
    return _Line(row, row.box, tuple(tuple(cell) for cell in cells))


def _runs_on(last: Word, word: Word, head: Head, places: tuple[int, int], aspect: float) -> bool:
    """Return True if a text continues across its column's edge: words at word distance, where figures are expected."""
    before, place = (head.headings[one].concept in FIGURES for one in places)
    near = word.box[0] - last.box[2] < _SPACE * aspect * (word.box[3] - word.box[1])
    plain = not any(char.isdigit() for char in last.text + word.text) and values.currency(word.text) is None
    return near and plain and place and not before


def _read_lines(page: int, lines: Sequence[_Line], layout: _Layout) -> tuple[FoundTable, int]:
    """Build rows around lines with figures; lines without figures join the nearest row."""
    anchors: list[int] = []
    ended, end = False, len(lines)
    pitch = _pitch(lines)
    for number, line in enumerate(lines):
        has = layout.filled(line)
        says_sum = not has and _SAID.fullmatch(line.row.text) is not None
        if _names_sum(line, layout, has) or (anchors and (says_sum or _stands_alone(line, layout, has))):
            ended, end = _CARRIED.search(line.row.text) is None, number
            break
        if anchors and line.middle - lines[number - 1].middle > _FAR * max(pitch, _pitch_of(lines, anchors)):
            end = number
            break
        if _is_anchor(layout, has) and not _stands_alone(line, layout, has):
            anchors.append(number)
    rows = tuple(
        tuple(_cell(page, group, place, column) for place, column in zip(layout.places, layout.columns, strict=True))
        for group in _group(lines[:end], anchors, layout.head)
    )
    return FoundTable(rows, (page,), ended), end


def _is_anchor(layout: _Layout, has: Sequence[int]) -> bool:
    """A row of figures has its amount, or two others; without columns of figures, every line is a row."""
    figures = layout.figures
    return not figures or layout.amount in has or len(has) >= min(2, len(figures))


def _names_sum(line: _Line, layout: _Layout, has: Sequence[int]) -> bool:
    """Return True for the label of a sum without an item before it, and few figures."""
    if not _ENDS.search(line.row.text):
        return False
    told = any(line.words[place] for place in layout.texts)
    few = len(has) <= 1 and (has or not told) and len(line.row.text) < _LONGEST_SUM
    return bool(few or (has and not told))


def _stands_alone(line: _Line, layout: _Layout, has: Sequence[int]) -> bool:
    """Return True for a figure without an item: a sum whose label is among the figures, or a page number."""
    if len(has) != 1 or any(line.words[place] for place in layout.texts):
        return False
    others = (place for place in range(len(line.words)) if place not in has)
    headings = layout.head.headings
    return bool(layout.texts) or any(
        headings[place].concept in FIGURES and _WORD.search(line.text(place)) is not None for place in others
    )


def _is_figure(text: str, column: Column) -> bool:
    return bool(text) and _read_figure(text, column) is not None


def _pitch(lines: Sequence[_Line]) -> float:
    """Return the usual distance of two lines."""
    steps = [after.middle - before.middle for before, after in pairwise(lines)]
    return median(steps[:20]) if steps else 1.0


def _pitch_of(lines: Sequence[_Line], anchors: Sequence[int]) -> float:
    steps = [lines[after].middle - lines[before].middle for before, after in pairwise(anchors)]
    return median(steps) if steps else 0.0


def _group(lines: Sequence[_Line], anchors: Sequence[int], head: Head) -> list[list[_Line]]:
    """Group each anchor with the lines of text around it."""
    groups: list[list[_Line]] = [[] for _ in anchors]
    for number, line in enumerate(lines):
        before = max((place for place, at in enumerate(anchors) if at <= number), default=None)
        after = min((place for place, at in enumerate(anchors) if at >= number), default=None)
        if number in anchors:
            groups[anchors.index(number)].append(line)
        elif any(
            one.concept in FIGURES and any(char.isdigit() for char in line.text(place))
            for place, one in enumerate(head.headings)
        ):
            continue  # figures outside of rows belong to none
        elif before is None or after is None:
            last = before is not None and number - anchors[before] <= _MOST_LINES and _is_near(lines, number)
            first = after is not None and number + 1 == anchors[after] and _is_near(lines, number + 1)
            if last and before is not None:
                groups[before].append(line)
            elif first and after is not None:
                groups[after].append(line)
        else:
            over, under = lines[number - 1], lines[number + 1]
            # Text continues below its figures; it precedes them only if it is clearly nearer to those below.
            nearer = under.box[1] - line.box[3] < 0.5 * (line.box[1] - over.box[3])
            groups[after if nearer else before].append(line)
    return groups


def _is_near(lines: Sequence[_Line], number: int) -> bool:
    over, line = lines[number - 1].box, lines[number].box
    return line[1] - over[3] < 0.9 * (line[3] - line[1])


def _cell(page: int, group: Sequence[_Line], place: int | None, column: Column) -> Cell:
    words = [word for line in group for word in line.words[place]] if place is not None else []
    if not words:
        return Cell("", page)
    text = " ".join(word.text for word in words)
    box, score = union(word.box for word in words), min(word.score for word in words)
    if column.type == "text":
        return Cell(text.strip(" |"), page, box, score)
    stored = _read_figure(text, column)
    return Cell(text if stored is None else stored, page, box, score, stored is not None)


def _read_figure(text: str, column: Column) -> str | None:
    """Return the single value of a cell, without unit or currency: 2 pcs, 19 %, 33.90 EUR."""
    if column.type == "date":
        hit = next(values.dates_in(text), None)
        return hit.value if hit else None
    hits = list(values.amounts_in(totals.repair_digits(text)))
    if len(hits) > 1 and _TIMES.match(text, hits[0].end):  # 1939 x 1 night: price and quantity
        hits = hits[:1]
    if len(hits) != 1:
        return None
    kind = column.type
    return hits[0].value if kind == "amount" else to_stored_cell(kind, _bare(hits[0]))


def _bare(hit: values.Hit) -> str:
    digits = hit.value.rstrip("0").rstrip(".") if "." in hit.value else hit.value
    return digits or "0"
