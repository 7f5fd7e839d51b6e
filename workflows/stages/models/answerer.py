"""Local answers to questions about a page: quoted from the page, never generated; marked as such.

If the question names a field, the answer is its value as the analysis extracts it; else the row with most of the
question's words is quoted, if it has enough of them.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from workflows.stages import fields
from workflows.stages.field_spec import FieldSpec
from workflows.stages.fields.candidates import Candidate, Document
from workflows.stages.pages.layout import Box, Page, Row

NOTHING = "Nothing on this page answers the question."
_ENOUGH = 0.5  # share of the question's words, weighted by rarity on the page
_LONGEST = 600  # characters of a quotation
# Stop words of questions: English, German, French, Spanish, Italian.
_ASKING = frozenset(
    re.findall(
        r"\w+",
        """
    a an and are at be been by can did do does for from give has have how i in is it its me much of on or page
    please say says show tell than that the there these this to was were what when where which who whom whose
    why will with you der die das den dem des ein eine einen einem einer ist sind war wie wer wem wo wann warum
    welche welcher welches und oder auf von vom zu zum zur im am mit für bitte seite steht le la les un une du
    de et ou est sont qui que quoi quel quelle quels quelles où quand comment pourquoi combien sur dans pour
    avec el los las una unos y o es son qué quién cuál cuándo dónde cómo por para con en il lo gli uno e che chi
    quale quando dove come perché per su
    """,
    )
)


@dataclass(frozen=True)
class Quoted:
    """``passage`` empty: no answer on the page. ``box``: fractions of the page; ``confidence`` None: unknown."""

    content: str
    passage: str = ""
    box: Box | None = None
    confidence: float | None = None


def answer_question(page: Page, question: str, specs: Sequence[FieldSpec]) -> Quoted:
    document = Document((page,), fields.field_spellings(specs))
    asked = words(question)
    if named := _find_named_field(document, asked, specs):
        return Quoted(f"{named[0].label}: {named[1].value}", _around(page, named[1]), named[1].box, named[1].confidence)
    best = _best(document.rows, asked)
    if not best:
        return Quoted(NOTHING)
    text = "\n".join(row.text for row in best)[:_LONGEST]
    boxes = [row.box for row in best]
    box = (min(b[0] for b in boxes), min(b[1] for b in boxes), max(b[2] for b in boxes), max(b[3] for b in boxes))
    return Quoted(text, text, box)


def words(text: str) -> list[str]:
    """Lowercase words without stop words."""
    return [word for word in re.findall(r"[^\W_]+", text.casefold()) if word not in _ASKING]


def _find_named_field(
    document: Document, asked: Sequence[str], specs: Iterable[FieldSpec]
) -> tuple[FieldSpec, Candidate] | None:
    """Return the field whose label is in the question, longest first, if the page has a value for it."""
    known = sorted(specs, key=lambda spec: -len(words(spec.label)))
    for spec in known:
        label = words(spec.label)
        if label and set(label) <= set(asked) and (found := fields.find_candidates(document, spec)):
            return spec, found[0]
    return None


def _around(page: Page, candidate: Candidate) -> str:
    """Return the row of a value."""
    row = next((row for row in page.rows if _overlaps(row.box, candidate.box)), None)
    return row.text[:_LONGEST] if row else candidate.raw


def _overlaps(row: Box, box: Box) -> bool:
    middle = (box[1] + box[3]) / 2
    return row[1] <= middle <= row[3] and row[0] < box[2] and box[0] < row[2]


def _best(rows: Sequence[Row], asked: Sequence[str]) -> list[Row]:
    """Return the row with most of the question's words, with the next one if it only introduces it."""
    held = [set(words(row.text)) for row in rows]
    count = Counter(word for one in held for word in one)
    weights = {word: math.log(1 + len(rows) / (1 + count[word])) for word in set(asked)}
    whole = sum(weights.values())
    if not whole:
        return []
    shares = [sum(weights[word] for word in weights if word in one) / whole for one in held]
    place = max(range(len(rows)), key=lambda at: shares[at], default=-1)
    if place < 0 or shares[place] < _ENOUGH:
        return []
    goes_on = rows[place].text.rstrip().endswith(":") and place + 1 < len(rows)
    return list(rows[place : place + (2 if goes_on else 1)])
