"""Answers: what a reviewer says of a field besides its value, such as why there is none. Pure functions."""

from collections.abc import Mapping
from enum import StrEnum

from config.phrase import Phrase


class Answer(StrEnum):
    """Stored as written."""

    CONFIRMED = "confirmed"  # the value is right
    CORRECTED = "corrected"
    BLANK = "blank"  # its place on the document is empty
    ABSENT = "absent"  # the document has no such place
    ILLEGIBLE = "illegible"  # what is written there is illegible


# The answers without a value, in the order of the menu: as a label, and within a sentence.
WITHOUT_VALUE: Mapping[str, tuple[Phrase, Phrase]] = {
    Answer.BLANK.value: (Phrase("Blank on paper"), Phrase("blank on paper")),
    Answer.ABSENT.value: (Phrase("Not on paper"), Phrase("not on paper")),
    Answer.ILLEGIBLE.value: (Phrase("Illegible"), Phrase("illegible")),
}
_UNANSWERED = (Phrase("Not on the document"), Phrase("not on the document"))


def label_nothing(answer: str | None) -> Phrase:
    """Why there is no value, as a label."""
    return WITHOUT_VALUE.get(answer or "", _UNANSWERED)[0]


def describe_nothing(answer: str | None) -> Phrase:
    """Why there is no value, within a sentence."""
    return WITHOUT_VALUE.get(answer or "", _UNANSWERED)[1]
