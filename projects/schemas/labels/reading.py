"""Labels in the viewer's language, falling back to the site's own names.

The site's row says which languages there are and which version their labels have. Each page reads it anyway, so a site
without languages pays nothing, and one with languages a Query for each version and process.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from django.utils.translation import get_language

from projects.schemas.governing import AttributeDefinition
from projects.schemas.labels import queries
from projects.schemas.labels.keys import ItemType, LabelKey
from projects.schemas.labels.languages import known_languages, match_language
from projects.sites import directory

_MOST = 64  # languages of sites that a process keeps


class Translated(str):
    """A label with the BCP 47 tag of its language, which templates say of it."""

    lang: str

    def __new__(cls, text: str, lang: str) -> "Translated":
        made = super().__new__(cls, text)
        made.lang = lang
        return made

    def __getnewargs__(self) -> tuple[str, str]:  # type: ignore[override]  # for copies of what holds it
        return str(self), self.lang


def isolate(label: str) -> str:
    """Isolate a label within a sentence, so that right-to-left text does not move the numbers after it."""
    known = known_languages().get(getattr(label, "lang", ""))
    return f"\u2068{label}\u2069" if known is not None and known.direction == "rtl" else label


@dataclass(frozen=True)
class Labels:
    """The labels of one language; empty: every text stays the site's own."""

    texts: Mapping[LabelKey, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.texts)

    def name_field(self, key: str, own: str, classification_id: str = "") -> str:
        """``own``: what the site calls it. A document type may call it otherwise than the site."""
        kind = LabelKey(ItemType.CLASSIFICATION, classification_id=classification_id, attribute_key=key)
        return self._find(kind if classification_id else None, LabelKey(ItemType.INTERFACE, interface_key=key), own=own)

    def name_column(self, key: str, column: str, own: str) -> str:
        """``column``: of the table ``key``."""
        return self._find(LabelKey(ItemType.INTERFACE, interface_key=f"{key}.{column}"), own=own)

    def name_value(self, key: str, value: str, own: str = "", classification_id: str = "") -> str:
        """Return the label of an allowed value; ``own``: shown if there is no label; else the value itself."""
        parts = {"attribute_key": key, "allowed_value": value}
        kind = LabelKey(ItemType.CLASSIFICATION, classification_id=classification_id, **parts)
        return self._find(kind if classification_id else None, LabelKey(ItemType.SCHEMA, **parts), own=own or value)

    def name_type(self, classification_id: str, own: str) -> str:
        return self._find(LabelKey(ItemType.CLASSIFICATION, classification_id=classification_id), own=own)

    def name_definition(self, one: AttributeDefinition) -> AttributeDefinition:
        return replace(one, label=self.name_field(one.key, one.label)) if self.texts else one

    def _find(self, *keys: LabelKey | None, own: str) -> str:
        if not self.texts:
            return own
        return next((self.texts[key] for key in keys if key is not None and key in self.texts), own)


NO_LABELS = Labels()
_kept: dict[tuple[str, str], tuple[int, Labels]] = {}


def find_locale(site: str) -> str:
    """The tag of the site's language that the person of this request reads; empty if none."""
    row = directory.get_site(site)
    return match_language(get_language(), row.locales) if row and row.locales else ""


def get_labels(site: str, language: str | None = None) -> Labels:
    """In the language of the person of this request, or in ``language``.

    Raises:
        Unavailable: the table does not answer.

    """
    row = directory.get_site(site)
    if row is None or not row.locales:
        return NO_LABELS
    tag = match_language(language or get_language(), row.locales)
    return read_labels(site, tag, int(row.labels_version or 0)) if tag else NO_LABELS


def read_labels(site: str, tag: str, version: int) -> Labels:
    """Return labels of this version or later: one Query per version and process."""
    found = _kept.get((site, tag))
    if found is not None and found[0] == version:
        return found[1]
    texts = {key: Translated(row.text, tag) for key, row in queries.read_labels(site, tag).items() if row.text}
    labels = Labels(texts)
    if len(_kept) >= _MOST:
        _kept.clear()
    _kept[site, tag] = (version, labels)
    return labels
