"""Seed 000's status of the services that read a file: ``data.preprocess`` of a run's own row, an entry for each."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from pynamodb.expressions.update import Action

from workflows.definitions.blueprint import Definition
from workflows.runs.items import DocumentWorkflow, StepStatus

# Seed 000's names of the services, in its order.
PREPROCESSORS = {
    "paddleocr_processor": "ocr",
    "bda_processor": "bda",
    "transcribe": "transcribe",
    "webcrawler": "webcrawler",
}
_PROCESSING = "processing"  # seed 000's status of a step in progress


def plan_preprocess(definition: Definition, left_out: frozenset[int], *, first: str, now: str) -> dict[str, Any]:
    """Return the initial map of a run that begins at the step ``first``; services that it skips are marked so."""
    needed = {step.name for step in definition.steps if step.order not in left_out}
    found: dict[str, Any] = {}
    for step, name in PREPROCESSORS.items():
        status = StepStatus.PENDING if step in needed else StepStatus.SKIPPED
        found[name] = {"required": step in needed, "status": status.value}
        if step == first:
            found[name] |= {"status": _PROCESSING, "started_at": now}
    return found


def enter(step: str, now: str) -> list[Action]:
    """Return the changes of the run's own row when it enters ``step``; none for other steps."""
    path = _path(step)
    return [path["status"].set(_PROCESSING), path["started_at"].set(now)] if path is not None else []


def enter_again(definition: Definition, left_out: frozenset[int], step: str, now: str) -> list[Action]:
    """Return the changes when an ended run is resumed at ``step``: the whole map, which older runs lack."""
    if step not in PREPROCESSORS:
        return []
    planned = plan_preprocess(definition, left_out, first=step, now=now)
    reached = definition.named(step).order
    for one in definition.steps:
        if one.name in PREPROCESSORS and one.order < reached and one.order not in left_out:
            planned[PREPROCESSORS[one.name]]["status"] = StepStatus.COMPLETED.value
    return [DocumentWorkflow.data["preprocess"].set(planned)]


def leave(step: str, status: StepStatus, reason: str | None, now: str) -> list[Action]:
    """Return the changes of the run's own row when it leaves ``step``."""
    path = _path(step)
    if path is None:
        return []
    actions = [path["status"].set(status.value), path["ended_at"].set(now)]
    if reason:
        actions.append(path["error" if status == StepStatus.FAILED else "reason"].set(reason))
    return actions


class CrawlRequest(NamedTuple):
    """The request in a document that asks for a web page."""

    source_url: str
    instruction: str


def take_crawl_request(facts: Mapping[str, Any]) -> tuple[CrawlRequest | None, dict[str, Any]]:
    """Split the facts of a crawl into its request and the facts for the run's history."""
    left = {name: value for name, value in facts.items() if name not in CrawlRequest._fields}
    if "source_url" not in facts:
        return None, left
    return CrawlRequest(str(facts["source_url"]), str(facts.get("instruction") or "")), left


def keep_request(request: CrawlRequest) -> list[Action]:
    """Return the changes of the run's own row."""
    path = _path("webcrawler")
    return [path[name].set(value) for name, value in request._asdict().items() if value]


def _path(step: str) -> Any:
    name = PREPROCESSORS.get(step)
    return DocumentWorkflow.data["preprocess"][name] if name else None
