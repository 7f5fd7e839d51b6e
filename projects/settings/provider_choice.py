"""Who does the work of a run's stages: the document's own choice, then its project's, then the desk's settings."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from django.conf import settings

from projects.models.queries import list_ocr_models
from projects.settings.values import DOERS

NAMES = ("ocr_model", *DOERS)  # what one document may choose for itself
Choices = Mapping[str, Mapping[str, str]]


def list_choices(site: str) -> Choices:
    """For each of ``NAMES`` its values with their labels; OCR models as the site's catalogue has them: one Query."""
    return {"ocr_model": {one.id: one.name for one in list_ocr_models(site)}, **DOERS}


def desk_default(name: str) -> str:
    """``name``: ocr_model, analyzer, transcriber or summarizer."""
    return str(getattr(settings, name.upper()))


def chosen_provider(data: Mapping[str, Any], name: str) -> str:
    """Of a project's ``data`` map, a document's choice laid over it."""
    return str(data.get(name) or desk_default(name))


def list_wrong_choices(typed: Mapping[str, Any], choices: Choices) -> list[str]:
    """Names of choices that have a value which is none of theirs; one that nothing reads would quietly be another."""
    return [name for name, values in choices.items() if name in typed and typed[name] not in values]


def list_unknown_parts(parts: Iterable[str], *, beside: Collection[str]) -> list[str]:
    """Names of a form's parts that are neither a choice nor of those ``beside``."""
    return sorted({*parts} - {*NAMES, *beside})


def read_provider_choices(typed: Mapping[str, Any], choices: Choices) -> dict[str, str]:
    """What a form or a program chose for one document: known values only, the rest is the project's."""
    return {name: typed[name] for name, values in choices.items() if typed.get(name) in values}
