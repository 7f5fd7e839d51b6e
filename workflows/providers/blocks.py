"""Parsing of Amazon Textract's answers: AnalyzeDocument, AnalyzeExpense, AnalyzeID, GetLendingAnalysis.

Answers have one or many parts. Parsing is tolerant, since they are split, differ by feature and age, and refer to
missing blocks: what is missing is omitted and never an error. Textract's confidence is 0–100 and ours 0–1; its pages
count from 1. Source: AWS "Amazon Textract Response Objects".
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import median
from typing import Any

from workflows.stages.pages.layout import Box, Line, Word
from workflows.stages.pages.reading import Answer, Cell, DocumentReading, FormField, PageReading, Region, Spot, Table

Block = Mapping[str, Any]
_LISTS = ("Warnings", "ExpenseDocuments", "IdentityDocuments", "Results")  # lists that are split into parts like blocks
TICKED, UNTICKED = "☒", "☐"
_WIDE = 4  # aspect ratio: the corners of a shorter line say nothing about the page's skew


def merge_parts(parts: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Merge the parts of a paginated answer, each block once; the last part's status counts."""
    whole: dict[str, Any] = {}
    blocks: dict[str, Block] = {}
    lists: dict[str, list[Any]] = {name: [] for name in _LISTS}
    for part in parts:
        whole |= part
        for name, held in lists.items():
            held.extend(part.get(name) or ())
        for block in part.get("Blocks") or ():
            blocks.setdefault(block.get("Id") or f"#{len(blocks)}", block)
    whole.pop("NextToken", None)
    return {**whole, "Blocks": list(blocks.values()), **{name: held for name, held in lists.items() if held}}


def read_textract_answer(answer: Mapping[str, Any]) -> DocumentReading:
    """Parse any of the four kinds of answer."""
    found = _Answer(tuple(_list_blocks(answer)))
    pages = {index: found.page(index) for index in found.indices}
    for more in [*_read_expenses(answer), *_read_identities(answer), *_read_lending(answer)]:
        page = pages.get(more.index, PageReading(more.index))
        pages[more.index] = replace(
            page,
            fields=(*page.fields, *more.fields),
            tables=(*page.tables, *more.tables),
            signatures=(*page.signatures, *more.signatures),
        )
    for index in range(int((answer.get("DocumentMetadata") or {}).get("Pages") or 0)):
        pages.setdefault(index, PageReading(index))
    return DocumentReading(tuple(pages[index] for index in sorted(pages)), dict(_read_page_errors(answer)))


def _list_blocks(answer: Mapping[str, Any]) -> Iterator[Block]:
    """Yield its own blocks, and those of expenses and identities, with the page number of the lending result."""
    yield from answer.get("Blocks") or ()
    for document in (*(answer.get("ExpenseDocuments") or ()), *(answer.get("IdentityDocuments") or ())):
        yield from document.get("Blocks") or ()
    for result in answer.get("Results") or ():
        for extraction in result.get("Extractions") or ():
            for kind in ("ExpenseDocument", "IdentityDocument"):
                for block in (extraction.get(kind) or {}).get("Blocks") or ():
                    yield {**block, "Page": result.get("Page") or block.get("Page")}


def _read_page_errors(answer: Mapping[str, Any]) -> Iterator[tuple[int, str]]:
    for warning in answer.get("Warnings") or ():
        for page in warning.get("Pages") or ():
            yield int(page) - 1, str(warning.get("ErrorCode") or "not read")


@dataclass(frozen=True)
class _Answer:
    blocks: tuple[Block, ...]

    @cached_property
    def by_id(self) -> dict[str, Block]:
        return {block["Id"]: block for block in self.blocks if "Id" in block}

    @cached_property
    def by_page(self) -> dict[int, dict[str, list[Block]]]:
        pages: dict[int, dict[str, list[Block]]] = {}
        for block in self.blocks:
            pages.setdefault(_page(block), {}).setdefault(str(block.get("BlockType")), []).append(block)
        return pages

    @property
    def indices(self) -> list[int]:
        return sorted(self.by_page)

    def page(self, index: int) -> PageReading:
        kinds = self.by_page[index]
        lines = kinds.get("LINE", [])
        return PageReading(
            index,
            lines=tuple(line for block in lines if (line := self._line(block, index)).words),
            fields=tuple(self._fields(kinds.get("KEY_VALUE_SET", []), index)),
            tables=tuple(self._table(block, index) for block in kinds.get("TABLE", [])),
            answers=tuple(self._answers(kinds.get("QUERY", []), index)),
            regions=tuple(
                Region(kind.removeprefix("LAYOUT_").lower(), self._spot(block, index))
                for kind, blocks in kinds.items()
                if kind.startswith("LAYOUT_")
                for block in blocks
            ),
            signatures=tuple(self._spot(block, index) for block in kinds.get("SIGNATURE", [])),
            slope=_slope(lines),
        )

    def list_related(self, block: Block, kind: str) -> Iterator[Block]:
        for relation in block.get("Relationships") or ():
            if relation.get("Type") == kind:
                yield from (self.by_id[one] for one in relation.get("Ids") or () if one in self.by_id)

    def text(self, block: Block) -> str:
        """Return its own text, or that of its children: words, checkboxes, and lines of a region."""
        if block.get("Text"):
            return str(block["Text"])
        if "SelectionStatus" in block:
            return TICKED if block["SelectionStatus"] == "SELECTED" else UNTICKED
        return " ".join(filter(None, (self.text(child) for child in self.list_related(block, "CHILD"))))

    def _spot(self, block: Block, index: int) -> Spot:
        return Spot(self.text(block), index, _box(block), _score(block))

    def _line(self, block: Block, index: int) -> Line:
        words = tuple(
            Word(str(word["Text"]), box, _score(word))
            for word in self.list_related(block, "CHILD")
            if word.get("Text") and (box := _box(word))
        )
        box = _box(block)
        if not words and block.get("Text") and box:  # its words are in a missing part
            words = (Word(str(block["Text"]), box, _score(block)),)
        return Line(index, words)

    def _fields(self, blocks: Iterable[Block], index: int) -> Iterator[FormField]:
        for block in blocks:
            if "KEY" not in (block.get("EntityTypes") or ()):
                continue
            values = list(self.list_related(block, "VALUE"))
            ticks = [
                child["SelectionStatus"] == "SELECTED"
                for value in values
                for child in self.list_related(value, "CHILD")
                if "SelectionStatus" in child
            ]
            where = next((box for value in values if (box := _box(value))), None)
            score = min([_score(block), *map(_score, values)])
            text = " ".join(filter(None, map(self.text, values)))
            yield FormField(
                self.text(block), Spot(text, index, where, score), ticked=ticks[0] if len(ticks) == 1 else None
            )

    def _table(self, block: Block, index: int) -> Table:
        merges = list(self.list_related(block, "MERGED_CELL"))
        covered = {child.get("Id") for merge in merges for child in self.list_related(merge, "CHILD")}
        single = [cell for cell in self.list_related(block, "CHILD") if cell.get("BlockType") == "CELL"]
        cells = [self._cell(cell) for cell in (*(one for one in single if one.get("Id") not in covered), *merges)]
        return Table(
            index,
            _box(block),
            tuple(sorted(cells, key=lambda cell: (cell.row, cell.column))),
            title=" ".join(map(self.text, self.list_related(block, "TABLE_TITLE"))),
            footer=" ".join(map(self.text, self.list_related(block, "TABLE_FOOTER"))),
        )

    def _cell(self, block: Block) -> Cell:
        return Cell(
            row=int(block.get("RowIndex") or 1) - 1,
            column=int(block.get("ColumnIndex") or 1) - 1,
            text=self.text(block),
            score=_score(block),
            rows=int(block.get("RowSpan") or 1),
            columns=int(block.get("ColumnSpan") or 1),
            heading="COLUMN_HEADER" in (block.get("EntityTypes") or ()),
        )

    def _answers(self, blocks: Iterable[Block], index: int) -> Iterator[Answer]:
        for block in blocks:
            query = block.get("Query") or {}
            for result in self.list_related(block, "ANSWER"):
                if text := self.text(result):
                    spot = Spot(text, index, _box(result), _score(result))
                    yield Answer(str(query.get("Text") or ""), str(query.get("Alias") or ""), spot)


def _read_expenses(answer: Mapping[str, Any]) -> Iterator[PageReading]:
    for document in answer.get("ExpenseDocuments") or ():
        by_page: dict[int, list[FormField]] = {}
        for one in document.get("SummaryFields") or ():
            found = _read_typed_field(one)
            by_page.setdefault(found.value.page, []).append(found)
        for index, fields in by_page.items():
            yield PageReading(index, fields=tuple(fields))
        for group in document.get("LineItemGroups") or ():
            if table := _items(group):
                yield PageReading(table.page, tables=(table,))


def _items(group: Mapping[str, Any]) -> Table | None:
    """Return a table with a row an item and a column a type of entry, in order of appearance."""
    rows = [
        [_read_typed_field(one) for one in item.get("LineItemExpenseFields") or () if _kind(one) != "EXPENSE_ROW"]
        for item in group.get("LineItems") or ()
    ]
    names: dict[str, str] = {}
    for one in (one for row in rows for one in row):
        names.setdefault(one.kind, one.key or one.kind)
    if not names:
        return None
    columns = {kind: number for number, kind in enumerate(names)}
    heads = [Cell(0, columns[kind], name, 1.0, heading=True) for kind, name in names.items()]
    cells = [
        Cell(number, columns[one.kind], one.value.text, one.value.score)
        for number, row in enumerate(rows, start=1)
        for one in row
    ]
    page = next(one.value.page for row in rows for one in row)
    return Table(page, None, (*heads, *cells))


def _read_identities(answer: Mapping[str, Any]) -> Iterator[PageReading]:
    for number, document in enumerate(answer.get("IdentityDocuments") or ()):
        index = int(document.get("DocumentIndex") or number + 1) - 1
        fields = [
            _read_typed_field({**one, "PageNumber": index + 1}) for one in document.get("IdentityDocumentFields") or ()
        ]
        yield PageReading(index, fields=tuple(one for one in fields if one.value.text))


def _read_lending(answer: Mapping[str, Any]) -> Iterator[PageReading]:
    """Yield each page by its type: fields and signatures of a lending document, an expense, or an identity."""
    for number, result in enumerate(answer.get("Results") or ()):
        index = int(result.get("Page") or number + 1) - 1
        for extraction in result.get("Extractions") or ():
            lending = extraction.get("LendingDocument") or {}
            yield PageReading(
                index,
                fields=tuple(_read_lending_field(one, index) for one in lending.get("LendingFields") or ()),
                signatures=tuple(
                    Spot("", index, _box(one), _score(one)) for one in lending.get("SignatureDetections") or ()
                ),
            )
            expense, identity = extraction.get("ExpenseDocument"), extraction.get("IdentityDocument")
            found = [
                *_read_expenses({"ExpenseDocuments": [expense] if expense else []}),
                *_read_identities({"IdentityDocuments": [identity] if identity else []}),
            ]
            yield from (_move_to_page(one, index) for one in found)


def _read_lending_field(one: Mapping[str, Any], index: int) -> FormField:
    key, values = one.get("KeyDetection") or {}, one.get("ValueDetections") or ()
    ticks = [value["SelectionStatus"] == "SELECTED" for value in values if value.get("SelectionStatus")]
    text = " ".join(filter(None, (str(value.get("Text") or "").strip() for value in values)))
    where = next((box for value in values if (box := _box(value))), None)
    score = min(map(_score, values), default=0.0)
    label = str(key.get("Text") or "").strip()
    kind, tick = str(one.get("Type") or "OTHER"), ticks[0] if len(ticks) == 1 else None
    return FormField(label, Spot(text, index, where, score), kind, ticked=tick)


def _move_to_page(page: PageReading, index: int) -> PageReading:
    """Lending results number pages of the whole document, the results inside those of their part."""
    fields = tuple(replace(one, value=replace(one.value, page=index)) for one in page.fields)
    return replace(page, index=index, fields=fields, tables=tuple(replace(one, page=index) for one in page.tables))


def _kind(one: Mapping[str, Any]) -> str:
    return str((one.get("Type") or {}).get("Text") or "OTHER")


def _read_typed_field(one: Mapping[str, Any]) -> FormField:
    """Return a field of a known type, with its normalized value if there is one (dates of identities)."""
    value = one.get("ValueDetection") or {}
    text = str((value.get("NormalizedValue") or {}).get("Value") or value.get("Text") or "").strip()
    page = int(one.get("PageNumber") or 1) - 1
    label = str((one.get("LabelDetection") or {}).get("Text") or "").strip()
    return FormField(label, Spot(text, page, _box(value), _score(value)), kind=_kind(one))


def _page(block: Block) -> int:
    return max(int(block.get("Page") or 1) - 1, 0)


def _score(block: Mapping[str, Any]) -> float:
    return min(max(float(block.get("Confidence") or 0.0) / 100, 0.0), 1.0)


def _box(block: Mapping[str, Any]) -> Box | None:
    box = (block.get("Geometry") or {}).get("BoundingBox")
    if not box:
        return None
    left, top = float(box.get("Left") or 0.0), float(box.get("Top") or 0.0)
    right, bottom = left + float(box.get("Width") or 0.0), top + float(box.get("Height") or 0.0)
    return _inside(left), _inside(top), _inside(right), _inside(bottom)


def _inside(value: float) -> float:
    return min(max(value, 0.0), 1.0)


def _slope(lines: Iterable[Block]) -> float:
    slopes = []
    for block in lines:
        corners: list[Mapping[str, Any]] = (block.get("Geometry") or {}).get("Polygon") or []
        if len(corners) < 4:
            continue
        first, second, third = corners[0], corners[1], corners[2]
        width = float(second["X"]) - float(first["X"])
        if width > _WIDE * abs(float(third["Y"]) - float(second["Y"])) > 0:
            slopes.append((float(second["Y"]) - float(first["Y"])) / width)
    return median(slopes) if slopes else 0.0
