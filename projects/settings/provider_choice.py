"""Choice of providers for a run's stages: the document's, then the project's, then the deployment's."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from django.conf import settings

from projects.models.queries import list_ocr_models
from projects.settings.values import DOERS

NAMES = ("ocr_model", *DOERS)  # what a single document can override
Choices = Mapping[str, Mapping[str, str]]


def list_choices(site: str) -> Choices:
    """Return the choices for each of ``NAMES``, with labels; OCR models from the site's catalogue: one Query."""
    return {"ocr_model": {one.id: one.name for one in list_ocr_models(site)}, **DOERS}


def desk_default(name: str) -> str:
    """``name``: ocr_model, analyzer, transcriber or summarizer."""
    return str(getattr(settings, name.upper()))


def chosen_provider(data: Mapping[str, Any], name: str) -> str:
    """Return the provider in a project's ``data`` map, with a document's overrides applied."""
    return str(data.get(name) or desk_default(name))


def list_wrong_choices(typed: Mapping[str, Any], choices: Choices) -> list[str]:
    """Return the names of choices with an unknown value, which must not silently mean another one."""
    return [name for name, values in choices.items() if name in typed and typed[name] not in values]


def list_unknown_parts(parts: Iterable[str], *, beside: Collection[str]) -> list[str]:
    """Return the form parts that are neither choices nor ``beside``."""
    return sorted({*parts} - {*NAMES, *beside})


def read_provider_choices(typed: Mapping[str, Any], choices: Choices) -> dict[str, str]:
    """Return the overrides for one document: known values only."""
    return {name: typed[name] for name, values in choices.items() if typed.get(name) in values}
