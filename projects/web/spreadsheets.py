"""Lines of CSV for people who open them in a spreadsheet: every export of the desk is written here."""

import csv
import io

# A spreadsheet runs what begins so, the full-width signs included; names, keys and messages come from people.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def csv_line(*values: object) -> str:
    """One line, in which nothing is a formula: such a value gets an apostrophe before it."""
    line = io.StringIO()
    csv.writer(line).writerow([_inert(str(value)) for value in values])
    return line.getvalue()


def _inert(text: str) -> str:
    return f"'{text}" if text.startswith(_FORMULA) else text
