"""An experiment as a file that can live beside code: which prompts, models and settings, and how good is good enough.

project: proj_receipts
test_set: Reviewed documents      # its name or ID
document_type: Invoice            # optional: its own prompts are measured; its name or ID
prompts: [production, 7]          # production, candidate, newest or a version; 0: the general prompt beside a type's
models: [bedrock]
temperatures: [0, 0.5]            # optional: otherwise as each model has it
thresholds: [0.8]                 # optional: otherwise the project's
limit: 5                          # USD
at_least: {f1: 0.9, exact: 0.6}   # optional: of the best variant, on the held-back half
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any

import yaml

from config.errors import NotFound, Refused
from projects.models import queries as model_queries
from projects.prompts import queries as prompt_queries
from projects.prompts.items import PromptHead
from projects.prompts.purposes import GENERAL
from projects.prompts.queries import PromptRef
from projects.schemas import queries as schema_queries
from projects.settings import queries as project_queries
from workflows.experiments.actions import Draft
from workflows.experiments.plan import PURPOSE, Variant
from workflows.experiments.results import HalfResult, Results
from workflows.testsets import queries as testset_queries
from workflows.testsets.cases import HELD_BACK
from workflows.testsets.queries import SetRef

_NEEDED = {"project", "test_set", "prompts", "models"}
_KNOWN = _NEEDED | {"name", "document_type", "temperatures", "thresholds", "limit", "at_least"}
_MEASURES = ("f1", "exact")


@dataclass(frozen=True)
class Declaration:
    """``at_least``: measure → share that the best variant needs."""

    project_id: str
    draft: Draft
    at_least: Mapping[str, float] = field(default_factory=dict)


def read_declaration(site: str, text: str) -> Declaration:
    """
    Raises:
        Refused: with what is wrong in the file.
        NotFound: it names a project, test set, version or model that is not there.

    """
    stored = _parse(text)
    project = project_queries.get_project(site, str(stored["project"]))
    type_id = _find_type(site, str(stored.get("document_type") or ""))
    head = prompt_queries.get_head(PromptRef(site, project.id, PURPOSE, type_id or GENERAL))
    try:
        draft = Draft(
            str(stored.get("name") or "From a file"),
            _find_test_set(site, project.id, str(stored["test_set"])),
            tuple(dict.fromkeys(_read_version(one, head) for one in _list(stored["prompts"]))),
            tuple(model_queries.get_model(site, str(one)) for one in _list(stored["models"])),
            tuple(float(one) for one in _list(stored.get("temperatures") or [])),
            tuple(float(one) for one in _list(stored.get("thresholds") or [project.settings.default_threshold])),
            Decimal(str(stored.get("limit", 5))),
            type_id,
        )
        at_least = {str(name): float(share) for name, share in dict(stored.get("at_least") or {}).items()}
    except (ValueError, TypeError, InvalidOperation) as error:
        raise Refused("The file has a value that is no number where one is needed.") from error
    if unknown := sorted(set(at_least) - set(_MEASURES)):
        raise Refused(f"at_least knows {' and '.join(_MEASURES)}, not {', '.join(unknown)}.")
    return Declaration(project.id, draft, at_least)


def _parse(text: str) -> Mapping[str, Any]:
    try:
        stored = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise Refused("The file is not valid YAML.") from error
    if not isinstance(stored, dict):
        raise Refused("The file has no entries. It needs project, test_set, prompts and models.")
    if missing := sorted(_NEEDED - set(stored)):
        raise Refused(f"The file lacks {', '.join(missing)}.")
    if unknown := sorted(str(one) for one in set(stored) - _KNOWN):
        raise Refused(f"The file has entries that are not known: {', '.join(unknown)}.")
    return stored


def _list(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else [value]


def _read_version(given: Any, head: PromptHead) -> int:
    named = {"production": head.production, "candidate": head.candidate, "newest": head.version}
    if given not in named:
        return int(given)
    if not named[given] and given != "production":  # there 0 is the general prompt
        raise Refused(f"This prompt has no {given} version. Name another one.")
    return int(named[given])


def _find_type(site: str, wanted: str) -> str:
    """By its ID or name; empty if none is named. Raises: NotFound."""
    if not wanted:
        return ""
    for one in schema_queries.all_classifications(site):
        if wanted in {one.id, one.name}:
            return one.id
    raise NotFound(f"There is no document type {wanted[:100]}.")


def _find_test_set(site: str, project_id: str, wanted: str) -> str:
    """By its ID, or by a name that one of the newest has."""
    rows = testset_queries.list_test_sets(site, project_id).rows
    if found := next((one for one in rows if wanted in {one.testset_id, one.name}), None):
        return str(found.testset_id)
    return str(testset_queries.get_test_set(SetRef(site, project_id, wanted)).testset_id)


def find_best(variants: Sequence[Variant], results: Results) -> tuple[Variant, HalfResult]:
    """By failures, then F1, on the held-back half. Raises: NotFound: nothing is measured there."""
    measured = [(one, results.halves[one.number][HELD_BACK]) for one in variants]
    scored = [(half.merit, -one.number, one, half) for one, half in measured if half.merit]
    if not scored:
        raise NotFound("Nothing was measured on the held-back half.")
    _, _, best, half = max(scored, key=lambda one: one[:2])
    return best, half


def list_shortfalls(half: HalfResult, at_least: Mapping[str, float]) -> list[str]:
    """What is below the shares that the file asks for, as sentences; answers that failed are in no share."""
    found = {"f1": half.f1, "exact": half.exact}
    failed = [f"Failed answers on the held-back half: {half.failed}."] if at_least and half.failed else []
    return failed + [
        f"{name} is {one.share:.3f}, below {needed:.3f}."
        for name, needed in at_least.items()
        if (one := found[name]) is not None and one.share < needed
    ]
