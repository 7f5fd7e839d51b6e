"""What a person can say of a field, beside its value: an empty box is not one fact but several; pure."""

from collections.abc import Mapping
from enum import StrEnum


class Answer(StrEnum):
    """Stored words."""

    CONFIRMED = "confirmed"  # the value was found right
    CORRECTED = "corrected"
    BLANK = "blank"  # its place is on the paper, and nothing is written there
    ABSENT = "absent"  # the paper has no such place
    ILLEGIBLE = "illegible"  # something is written there that no one can read


# Those that stand instead of a value, in the order of the choice.
WITHOUT_VALUE: Mapping[str, str] = {
    Answer.BLANK.value: "Blank on paper",
    Answer.ABSENT.value: "Not on paper",
    Answer.ILLEGIBLE.value: "Illegible",
}
NOTHING = "not on the document"  # of an empty value that no one said more about


def describe_nothing(answer: str | None) -> str:
    """Why there is no value."""
    return WITHOUT_VALUE.get(answer or "", NOTHING).lower()
