"""Numbers by which an entity is known, in the form that is stored."""

import re

from django.utils.translation import gettext
from stdnum import iban as iban_numbers
from stdnum.exceptions import ValidationError as WrongNumber

from config.errors import Refused

_SPACES = re.compile(r"[\s.\-/]+")


def tidy_tax_id(text: str) -> str:
    """Reduce to capitals and digits; the country is not checked."""
    found = _SPACES.sub("", text).upper()
    if len(found) > 40 or not found.isprintable():
        raise Refused(gettext("Enter a tax ID of at most 40 characters."))
    return found


def tidy_iban(text: str) -> str:
    """Raises: Refused, if its check digits are wrong."""
    try:
        return str(iban_numbers.validate(text))
    except WrongNumber as error:
        raise Refused(
            gettext("“%(text)s” is not a valid IBAN. Check its digits.") % {"text": text.strip()[:40]}
        ) from error
