"""The config app. It compiles ``locale/`` at start, since only the text of translations is under version control."""

import datetime as dt
import os
import tempfile
from functools import cache
from pathlib import Path

from django.apps import AppConfig
from django.conf import settings
from django.utils import dateformat
from django.utils.formats import get_format
from django.utils.translation import get_language, gettext, ngettext, pgettext

from config.celery import app
from config.environment import ON_LAPTOP
from config.phrase import Day, Figure, FullDay, Phrase


class ConfigConfig(AppConfig):
    name = "config"
    celery_app = app  # tasks need it; programs that know no Django, as the embedded AWS, do without its 25 MB

    def ready(self) -> None:
        Phrase.in_language = staticmethod(gettext)
        Phrase.in_number = staticmethod(ngettext)
        Figure.in_digits = staticmethod(write_digits)
        Day.in_order = staticmethod(write_date)
        FullDay.in_full = staticmethod(write_full_date)
        if ON_LAPTOP:  # and when the image is built, which finds them compiled
            compile_catalogues()


def write_digits(text: str, language: str | None = None) -> str:
    """``1,234.5 s`` → ``1.234,5 s``, in the language's format; by default that of the active one."""
    return text.translate(_find_separators(language or get_language()))


@cache
def _find_separators(language: str | None) -> dict[int, str]:
    """By the character that English writes. A page of figures asks some hundred times."""
    return str.maketrans({
        ",": get_format("THOUSAND_SEPARATOR", language), ".": get_format("DECIMAL_SEPARATOR", language),
    })  # fmt: skip


def write_date(year: int, month: int, day: int) -> str:
    """``25 Nov 2026``, in the language's format."""
    # Translators: Django's date filter: j is the day, M or N the short name of the month, n its number, Y the year.
    return dateformat.format(dt.date(year, month, day), pgettext("pattern of a date", "j M Y"))


def write_full_date(year: int, month: int, day: int) -> str:
    """``25 November 2026``, in the language's format."""
    # Translators: Django's date filter: j is the day, F the name of the month, n its number, Y the year.
    return dateformat.format(dt.date(year, month, day), pgettext("pattern of a date", "j F Y"))


def compile_catalogues() -> list[Path]:
    """Return the files compiled. Each is written whole; of processes that start together, the last one wins."""
    compiled = []
    for text in sorted(Path(settings.LOCALE_PATHS[0]).glob("*/LC_MESSAGES/*.po")):
        binary = text.with_suffix(".mo")
        if binary.exists() and binary.stat().st_mtime > text.stat().st_mtime:
            continue
        import polib  # noqa: PLC0415 - by whoever compiles, not by every start

        handle, whole = tempfile.mkstemp(dir=text.parent)
        os.close(handle)
        polib.pofile(str(text)).save_as_mofile(whole)
        Path(whole).chmod(0o644)
        Path(whole).replace(binary)
        compiled.append(binary)
    return compiled
