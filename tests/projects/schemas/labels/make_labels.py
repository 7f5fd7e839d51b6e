"""Languages and labels for tests, made through the actions that the product uses."""

import pytest

from projects.schemas.labels import actions, queries, reading
from projects.schemas.labels.actions import LabelChange
from projects.schemas.labels.keys import ItemType, LabelKey
from tests.projects.make_schemas import ALICE, SITE


def interface(key: str) -> LabelKey:
    return LabelKey(ItemType.INTERFACE, interface_key=key)


def site_value(key: str, value: str) -> LabelKey:
    return LabelKey(ItemType.SCHEMA, attribute_key=key, allowed_value=value)


def of_type(classification_id: str, key: str = "", value: str = "") -> LabelKey:
    return LabelKey(
        ItemType.CLASSIFICATION, classification_id=classification_id, attribute_key=key, allowed_value=value
    )


def label(texts: dict[LabelKey, str], *, tag: str = "de", site: str = SITE) -> int:
    """Save them, in a language that is added if it is not there."""
    if all(one.tag != tag for one in queries.list_locales(site)):
        actions.add_language(site, tag, by=ALICE)
    return actions.save_labels(site, tag, [LabelChange(key, text) for key, text in texts.items()], by=ALICE)


def stored(tag: str = "de", site: str = SITE) -> dict[LabelKey, str]:
    return {key: row.text for key, row in queries.read_labels(site, tag).items()}


def speak(monkeypatch: pytest.MonkeyPatch, language: str) -> None:
    """From now on who looks reads this language."""
    monkeypatch.setattr(reading, "get_language", lambda: language)
