"""Reads of languages and labels: one Query or one GetItem each."""

from collections.abc import Mapping, Sequence

from django.utils.translation import gettext

from config import table
from config.errors import NotFound
from config.item import Page, translate_store_errors
from config.phrase import Sentence
from config.table import InvalidKey
from projects.schemas.labels.items import Locale, LocaleLabel
from projects.schemas.labels.keys import LabelKey, locale_key, stored_key

MOST_LANGUAGES = 20  # of a site
MISSING = Sentence("Language not found. Add it first.")


def list_locales(site: str) -> Sequence[Locale]:
    """Return a site's languages by tag, including those being removed."""
    pk = table.LOCALE.partition_key(site)
    return Locale.page(pk, sk=Locale.SK.startswith(table.LOCALE.sort_prefix()), limit=100, consistent=True).rows


def get_locale(site: str, tag: str) -> Locale:
    """Raises: NotFound, also while it is being removed."""
    try:
        found = Locale.load(locale_key(site, tag))
    except (NotFound, InvalidKey) as error:
        raise NotFound(MISSING) from error
    if not found.is_active:
        raise NotFound(MISSING)
    return found


def list_labels(site: str, tag: str, cursor: str | None = None) -> Page[LocaleLabel]:
    """A page of a language's labels, those of the interface after those of document types."""
    pk, prefix = table.LOCALE_INTERFACE.partition_key(site), table.LOCALE_INTERFACE.sort_prefix(locale=tag)
    return LocaleLabel.page(pk, sk=LocaleLabel.SK.startswith(prefix), cursor=cursor, consistent=True)


def read_labels(site: str, tag: str) -> Mapping[LabelKey, LocaleLabel]:
    """Return all labels of a language, strongly consistent: one Query per megabyte."""
    pk, prefix = table.LOCALE_INTERFACE.partition_key(site), table.LOCALE_INTERFACE.sort_prefix(locale=tag)
    with translate_store_errors():
        rows = list(LocaleLabel.query(pk, LocaleLabel.SK.startswith(prefix), consistent_read=True))
    return {row.label_key: row for row in rows if _is_ours(row)}


def _is_ours(row: LocaleLabel) -> bool:
    """An older writer may have kinds that are none of these."""
    try:
        return bool(row.label_key)
    except (NotFound, ValueError):
        return False


def get_label(site: str, tag: str, key: LabelKey) -> LocaleLabel:
    """Raises: NotFound."""
    try:
        return LocaleLabel.load(stored_key(site, tag, key))
    except (NotFound, InvalidKey) as error:
        raise NotFound(gettext("Label not found.")) from error
