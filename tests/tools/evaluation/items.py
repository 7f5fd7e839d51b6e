"""How many rows of tables are found as they are: row F1, a row being right where each of its cells is."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from projects.settings.columns import ITEM_COLUMNS, TABLE
from projects.settings.values import DEFAULT_THRESHOLD
from tests.tools.evaluation import reading
from tests.tools.evaluation.measuring import Paper
from workflows.learning.scores import Score
from workflows.stages.field_spec import FieldSpec
from workflows.stages.tables.rows import normalise_table, read_rows

ITEMS = FieldSpec("items", "Line items", TABLE, required=False, threshold=DEFAULT_THRESHOLD, columns=ITEM_COLUMNS)
Rows = Sequence[Sequence[str]]


@dataclass(frozen=True)
class Answered:
    """``proved``: its sums prove it, so no one has to look at it."""

    kind: str
    found: Rows
    truth: Rows
    proved: bool = False


@dataclass(frozen=True)
class TableScore:
    """``whole``: tables whose every row was found, and none else; ``proved``: those that no one looks at."""

    rows: Score
    tables: int
    whole: int
    proved: int
    proved_whole: int


def measure_items(papers: Iterable[Paper]) -> Mapping[str, TableScore]:
    """By the documents' kind, of those whose items are known."""
    answers: dict[str, list[Answered]] = {}
    for paper in papers:
        if paper.entry.items is not None:
            answers.setdefault(paper.entry.kind, []).append(_answer(paper, paper.entry.items))
    return {kind: score_tables(given) for kind, given in sorted(answers.items())}


def _answer(paper: Paper, truth: Rows) -> Answered:
    if paper.context is None:
        return Answered(paper.entry.kind, (), truth)
    found = reading.analysed(replace(paper.context, settings=reading.settings([ITEMS])))[ITEMS.name]
    return Answered(paper.entry.kind, read_rows(found["value"], 4), truth, bool(found["proved"]))


def score_tables(given: Iterable[Answered]) -> TableScore:
    right = found = expected = tables = whole = proved = proved_whole = 0
    for one in given:
        here, there = Counter(map(_plain, one.found)), Counter(map(_plain, one.truth))
        same = sum((here & there).values())
        is_whole = same == len(one.found) == len(one.truth)
        right, found, expected = right + same, found + len(one.found), expected + len(one.truth)
        tables, whole = tables + 1, whole + is_whole
        proved, proved_whole = proved + one.proved, proved_whole + (one.proved and is_whole)
    return TableScore(Score(right, found, expected), tables, whole, proved, proved_whole)


def _plain(row: Sequence[str]) -> str:
    return normalise_table("\t".join(row))
