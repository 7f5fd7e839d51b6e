"""Display names for the ids in audit rows, looked up for a page of rows in one call.

Ids of deleted things stay as they are; renamed things show their current name.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from config import table
from config.item import Item
from config.phrase import Phrase
from config.table import InvalidKey, Key
from projects.audit.words import name_fact
from projects.prompts.prompt import GENERAL, PURPOSES
from projects.schemas.queries import ENTITY
from projects.settings.values import MODEL_USES, OCR_SWITCHES, SETTING_LABELS
from review.audit.timeline import AuditRow

_MOST = 100  # of one call
_KEYS: Mapping[str, Callable[[str, str], Key]] = {
    "project": lambda site, one: table.PROJECT.key(site, project_id=one),
    "queue": lambda site, one: table.QUEUE.key(site, document_id=one),
    "classification": lambda site, one: table.CLASSIFICATION.key(site, document_id=one, entity=ENTITY),
    "batch": lambda site, one: table.BATCH.key(site, batch_id=one),
    "case": lambda site, one: table.CASE.key(site, case_id=one),
    "mapping": lambda site, one: table.MAPPING.key(site, document_id=one),
    "share": lambda site, one: table.DOCUMENT_SHARE.key(site, document_id=one),
}
_OF_PROJECT = ("calibration", "extractor")  # record types whose id is their project's
_IN_PROJECT = ("prompt", "export", "export_schedule", "test_set", "experiment")  # the id begins with the project's
# Which changes have ids as values, and of what.
_CHANGED: Mapping[str, str] = {
    "project": "project", "projectId": "project", "project_id": "project", "queue": "queue", "review_queue": "queue",
    "classification_id": "classification",
}  # fmt: skip


def name_rows(site: str, rows: Sequence[AuditRow]) -> list[AuditRow]:
    """Return the rows with names in place of ids where known; ``record_id`` stays."""
    keys = dict.fromkeys(key for row in rows for key in _list_keys(site, row))
    found: dict[Key, str] = {}
    for start in range(0, len(keys), _MOST):
        some = list(keys)[start : start + _MOST]
        found |= {key: raw["name"]["S"] for key, raw in Item.together(some, only=["name"]).items() if "name" in raw}
    return [_name_row(site, row, found) for row in rows]


def _list_keys(site: str, row: AuditRow) -> Iterator[Key]:
    yield from (key for _, key in _list_subjects(site, row) if key)
    for kind, value in _list_values(row):
        if key := _key_of(site, kind, value):
            yield key


def _list_subjects(site: str, row: AuditRow) -> Iterator[tuple[str, Key | None]]:
    """Return the things that the row's id refers to, each with the key of the item that has its name."""
    kind, first, *rest = row.record_type, *row.record_id.split(".")
    if kind in _OF_PROJECT:
        yield first, _key_of(site, "project", first)
    elif kind not in _IN_PROJECT:
        yield row.record_id, _key_of(site, kind, row.record_id)
    elif rest:
        yield from _list_own(site, kind, first, rest)
        yield first, _key_of(site, "project", first)


def _list_own(site: str, kind: str, project_id: str, rest: Sequence[str]) -> Iterator[tuple[str, Key | None]]:
    with suppress(InvalidKey):
        if kind == "test_set":
            yield rest[0], table.TEST_SET.key(site, project_id=project_id, testset_id=rest[0])
        elif kind == "experiment":
            yield rest[0], table.EXPERIMENT.key(site, project_id=project_id, experiment_id=rest[0])
        elif kind == "prompt" and rest[0] in PURPOSES:
            yield PURPOSES[rest[0]].label, None
            if rest[1:] not in ([], [GENERAL]):
                yield rest[1], _key_of(site, "classification", rest[1])


def _list_values(row: AuditRow) -> Iterator[tuple[str, str]]:
    for change in row.changes:
        if kind := _CHANGED.get(change["what"]):
            yield from ((kind, one) for one in (change["before"], change["after"]) if _is_id(one))


def _key_of(site: str, kind: str, one: str) -> Key | None:
    """Return the key; None for kinds without a name, or if the text is not an id."""
    with suppress(InvalidKey):
        return _KEYS[kind](site, one) if kind in _KEYS else None
    return None


def _name_row(site: str, row: AuditRow, found: Mapping[Key, str]) -> AuditRow:
    changes = [_name_change(site, row, one, found) for one in row.changes]
    if row.what != row.record_id:  # recorded by its name
        return replace(row, changes=changes)
    named = [found.get(key, one) if key else one for one, key in _list_subjects(site, row)]
    return replace(row, what=" · ".join(named) or row.what, changes=changes)


def _name_change(site: str, row: AuditRow, change: Mapping[str, Any], found: Mapping[Key, str]) -> Mapping[str, Any]:
    what = change["what"]
    if kind := _CHANGED.get(what):
        named = {side: change[side] and _name_value(site, kind, change[side], found) for side in ("before", "after")}
        change = {**change, **named}
    if row.record_type == "project":
        change = {**change, "what": _name_setting(what)}
    return change


def _name_setting(what: str) -> str:
    """``fields.total.threshold`` → ``Fields: total: review threshold``."""
    setting, *parts = what.split(".")
    told: str = SETTING_LABELS.get(setting, setting)
    for number, part in enumerate(parts):
        called = name_fact(part) if number else {**OCR_SWITCHES, **MODEL_USES}.get(part, part)
        told = Phrase("%(setting)s: %(value)s").fill(setting=told, value=called)
    return told


def _is_id(value: str | None) -> bool:
    return bool(value) and not isinstance(value, Phrase)  # such as “none”


def _name_value(site: str, kind: str, one: str, found: Mapping[Key, str]) -> str:
    key = _key_of(site, kind, one) if _is_id(one) else None
    return found.get(key, one) if key else one
