"""Pages of words without a file, and what is known of their fields."""

from collections.abc import Sequence

from workflows.learning.extractors.fitting import Known
from workflows.stages.extractor.choosing import Hint
from workflows.stages.extractor.words import Words
from workflows.stages.field_spec import FieldSpec
from workflows.stages.fields.candidates import Document
from workflows.stages.pages.layout import Line, Page, Word

LETTER, HEIGHT = 0.008, 0.012


def line(x: float, y: float, text: str, *, page: int = 0) -> Line:
    words, left = [], x
    for word in text.split():
        right = left + LETTER * len(word)
        words.append(Word(word, (left, y, right, y + HEIGHT)))
        left = right + LETTER
    return Line(page, tuple(words))


def document(*pages: Sequence[Line]) -> Document:
    return Document(tuple(Page(index, 1000, 1414, "text_layer", tuple(lines)) for index, lines in enumerate(pages)))


def field(name: str, kind: str = "text", label: str = "", allowed: tuple[str, ...] = ()) -> FieldSpec:
    return FieldSpec(
        name, label or name.replace("_", " ").capitalize(), kind, required=False, threshold=0.8, allowed=allowed
    )


NAMES = (
    "Vera Castell",
    "Otto Quimby",
    "Mara Brandt",
    "Felix Harrow",
    "Nora Pike",
    "Ivan Rudd",
    "Lena Osgood",
    "Hugo Vance",
)


def order(number: int) -> Document:
    """A sponsor on its own line below the heading, among other names; the fee after words that no label says."""
    name, other = NAMES[number % 8], NAMES[(number + 3) % 8]
    return document(
        [
            line(0.1, 0.05, f"Station {number % 5} broadcast order"),
            line(0.1, 0.10, "On behalf of"),
            line(0.1, 0.12, f"Friends of {name}"),
            line(0.6, 0.10, "Prepared by"),
            line(0.6, 0.12, other),
            line(
                0.1,
                0.20 + 0.02 * (number % 3),
                f"We charge {100 + number}.00 for all spots and {5 + number}.00 for each",
            ),
            line(0.1, 0.30, f"Running from {number % 27 + 1:02d}/13/2024".replace("/13/", "/03/")),
        ]
    )


SPONSOR, FEE, STARTS = field("sponsor"), field("fee", "amount"), field("starts", "date")


def known_order(number: int, spec: FieldSpec = SPONSOR, hints: Sequence[Hint] = ()) -> Known:
    truths = {
        SPONSOR: f"Friends of {NAMES[number % 8]}",
        FEE: f"{100 + number}.00",
        STARTS: f"2024-03-{number % 27 + 1:02d}",
    }
    return Known(f"d{number}", f"g{number % 8}", Words(order(number)), spec, hints, truths[spec])
