"""Reads of models: one Query or one GetItem each; built-in ones are in no row."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

from config import clock
from config.errors import NotFound
from config.table import MODEL, MODEL_TEST, InvalidKey
from projects.models.builtin import list_builtin_models
from projects.models.items import ASKED, RUNNING, Model, ModelTest
from projects.models.spec import ModelSpec

MISSING = "This model is not in the catalogue."
MOST = 100  # models of a site's own
TEST_TIME = dt.timedelta(minutes=5)  # of a test; the task that does it is ended then
_MOST_ROWS = 2 * MOST + 50  # each with its last test, and those of built-in ones


@dataclass(frozen=True)
class Entry:
    """A model of the catalogue. ``version``: 0 for a built-in one, which no one edits. ``test``: its last one."""

    spec: ModelSpec
    version: int = 0
    updated_by: str = ""
    updated_at: str = ""
    test: ModelTest | None = None

    @property
    def is_builtin(self) -> bool:
        return not self.version


def list_entries(site: str) -> Sequence[Entry]:
    """The whole catalogue with the last test of each: one strongly consistent Query."""
    rows = Model.partition(MODEL.partition_key(site), limit=_MOST_ROWS)
    own = [Model.from_raw_data(row) for row in rows if row["SK"]["S"].startswith(MODEL.sort_prefix())]
    tried = [ModelTest.from_raw_data(row) for row in rows if row["SK"]["S"].startswith(MODEL_TEST.sort_prefix())]
    tests = {str(row.model_id): row for row in tried}
    entries = [Entry(spec, test=tests.get(spec.id)) for spec in list_builtin_models()]
    entries += [_entry_of(row, tests.get(str(row.model_id))) for row in own]
    return sorted(entries, key=lambda one: "" if one.is_builtin else one.spec.name.casefold())


def list_models(site: str) -> Sequence[ModelSpec]:
    """Built-in ones first, then the site's own by name: one Query."""
    return [entry.spec for entry in list_entries(site)]


def get_entry(site: str, model_id: str) -> Entry:
    """A strong read. Raises: NotFound."""
    for spec in list_builtin_models():
        if spec.id == model_id:
            return Entry(spec)
    try:
        return _entry_of(Model.load(MODEL.key(site, model_id=model_id)))
    except (NotFound, InvalidKey) as error:
        raise NotFound(MISSING) from error


def get_model(site: str, model_id: str) -> ModelSpec:
    """A strong read. Raises: NotFound."""
    return get_entry(site, model_id).spec


def get_test(site: str, model_id: str) -> ModelTest | None:
    """How it did when it was last tried; None if it never was."""
    try:
        return ModelTest.load(MODEL_TEST.key(site, model_id=model_id))
    except (NotFound, InvalidKey):
        return None


def is_lost(test: ModelTest) -> bool:
    """Return True if its worker is taken for dead: it can be asked again."""
    return test.status in {ASKED, RUNNING} and clock.now() - clock.parse(test.asked_at) >= TEST_TIME


def _entry_of(row: Model, test: ModelTest | None = None) -> Entry:
    return Entry(row.to_spec(), int(row.version), str(row.updated_by), str(row.updated_at), test)
