"""Answers: what a reviewer says of a field besides its value, such as why there is none. Pure functions."""

from collections.abc import Mapping
from enum import StrEnum


class Answer(StrEnum):
    """Stored as written."""

    CONFIRMED = "confirmed"  # the value is right
    CORRECTED = "corrected"
    BLANK = "blank"  # its place on the document is empty
    ABSENT = "absent"  # the document has no such place
    ILLEGIBLE = "illegible"  # what is written there is illegible


# The answers without a value, in the order of the menu.
WITHOUT_VALUE: Mapping[str, str] = {
    Answer.BLANK.value: "Blank on paper",
    Answer.ABSENT.value: "Not on paper",
    Answer.ILLEGIBLE.value: "Illegible",
}
NOTHING = "not on the document"  # for an empty value without an answer


def describe_nothing(answer: str | None) -> str:
    """Describe why there is no value."""
    return WITHOUT_VALUE.get(answer or "", NOTHING).lower()
