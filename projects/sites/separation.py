"""Separation-of-duties policies of a site."""

from enum import StrEnum

from config.phrase import Phrase


class Separation(StrEnum):
    """Stored as written. Uploaders and earlier deciders of a run may not decide its review."""

    FOUR_EYES = "four_eyes"  # if the definition requires two people
    ALWAYS = "always"
    NEVER = "never"  # except for definitions with two approvals, which always require different people


SEPARATIONS = {
    Separation.FOUR_EYES: Phrase("Workflows with two approvals"),
    Separation.ALWAYS: Phrase("All reviews"),
    Separation.NEVER: Phrase("Off"),
}
