"""Reads of models: one Query or GetItem each. Built-in ones have no rows."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from config import clock
from config.errors import NotFound
from config.phrase import Phrase
from config.table import MODEL, MODEL_TEST, InvalidKey
from projects.models.builtin import list_builtin_models
from projects.models.items import ASKED, RUNNING, Model, ModelTest
from projects.models.spec import BUILT_IN_OCR, ModelSpec, OcrSpec, find_builtin_ocr

MISSING = Phrase("This model is not in the catalogue.")
MOST = 100  # models of a site's own
TEST_TIME = dt.timedelta(minutes=5)  # of a test; the task that does it is ended then
_MOST_ROWS = 2 * MOST + 50  # each with its last test, and those of built-in ones


Spec = ModelSpec | OcrSpec
AnySpec = TypeVar("AnySpec", bound=Spec)
Held_co = TypeVar("Held_co", bound=Spec, covariant=True)  # by an entry


@dataclass(frozen=True)
class Entry(Generic[Held_co]):
    """A model of the catalogue. ``version``: 0 for a built-in one, which no one edits. ``test``: its last one."""

    spec: Held_co
    version: int = 0
    updated_by: str = ""
    updated_at: str = ""
    test: ModelTest | None = None

    @property
    def is_builtin(self) -> bool:
        return not self.version


@dataclass(frozen=True)
class Catalogue:
    """Built-in models first, then the site's own by name."""

    language: Sequence[Entry[ModelSpec]]
    ocr: Sequence[Entry[OcrSpec]]


def list_entries(site: str) -> Catalogue:
    """The whole catalogue with the last test of each: one strongly consistent Query."""
    rows = Model.partition(MODEL.partition_key(site), limit=_MOST_ROWS)
    own = [Model.from_raw_data(row) for row in rows if row["SK"]["S"].startswith(MODEL.sort_prefix())]
    tried = [ModelTest.from_raw_data(row) for row in rows if row["SK"]["S"].startswith(MODEL_TEST.sort_prefix())]
    tests = {str(row.model_id): row for row in tried}
    language = [Entry(spec, test=tests.get(spec.id)) for spec in list_builtin_models()]
    ocr = [Entry(spec, test=tests.get(spec.id)) for spec in BUILT_IN_OCR.values()]
    for row in sorted(own, key=lambda one: str(one.spec["name"]).casefold()):
        spec, test = row.to_spec(), tests.get(str(row.model_id))
        if isinstance(spec, OcrSpec):
            ocr.append(_entry_of(row, spec, test))
        else:
            language.append(_entry_of(row, spec, test))
    return Catalogue(language, ocr)


def list_models(site: str) -> Sequence[ModelSpec]:
    """Language models; built-in ones first, then the site's own by name: one Query."""
    return [entry.spec for entry in list_entries(site).language]


def list_ocr_models(site: str) -> Sequence[OcrSpec]:
    """List OCR models, like ``list_models``."""
    return [entry.spec for entry in list_entries(site).ocr]


def get_entry(site: str, model_id: str) -> Entry[Spec]:
    """Return a model of either kind: a strong read. Raises: NotFound."""
    builtin: list[Spec] = [*list_builtin_models(), *BUILT_IN_OCR.values()]
    for spec in builtin:
        if spec.id == model_id:
            return Entry(spec)
    try:
        row = Model.load(MODEL.key(site, model_id=model_id))
        return _entry_of(row, row.to_spec())
    except (NotFound, InvalidKey) as error:
        raise NotFound(MISSING) from error


def get_model(site: str, model_id: str) -> ModelSpec:
    """A strong read. Raises: NotFound, also if it is no language model."""
    spec = get_entry(site, model_id).spec
    if not isinstance(spec, ModelSpec):
        raise NotFound(MISSING)
    return spec


def get_ocr_model(site: str, model_id: str) -> OcrSpec:
    """A strong read; none of a built-in one. Raises: NotFound, also if it is no OCR model."""
    spec = find_builtin_ocr(model_id) or get_entry(site, model_id).spec
    if not isinstance(spec, OcrSpec):
        raise NotFound(MISSING)
    return spec


def get_test(site: str, model_id: str) -> ModelTest | None:
    """How it did when it was last tried; None if it never was."""
    try:
        return ModelTest.load(MODEL_TEST.key(site, model_id=model_id))
    except (NotFound, InvalidKey):
        return None


def is_lost(test: ModelTest) -> bool:
    """Return True if its worker is taken for dead: it can be asked again."""
    return test.status in {ASKED, RUNNING} and clock.now() - clock.parse(test.asked_at) >= TEST_TIME


def _entry_of(row: Model, spec: AnySpec, test: ModelTest | None = None) -> Entry[AnySpec]:
    return Entry(spec, int(row.version), str(row.updated_by), str(row.updated_at), test)
