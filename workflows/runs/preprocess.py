"""What seed 000 says of the services that read a file: ``data.preprocess`` of a run's own row, an entry for each."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from pynamodb.expressions.update import Action

from workflows.definitions.blueprint import Definition
from workflows.runs.items import DocumentWorkflow, StepStatus

# That system's names of them, in its order.
PREPROCESSORS = {
    "paddleocr_processor": "ocr",
    "bda_processor": "bda",
    "transcribe": "transcribe",
    "webcrawler": "webcrawler",
}
_PROCESSING = "processing"  # its word for a step that is in progress


def plan_preprocess(definition: Definition, left_out: frozenset[int], *, first: str, now: str) -> dict[str, Any]:
    """The map of a run that begins at the step ``first``; a service that its document does not need is skipped."""
    needed = {step.name for step in definition.steps if step.order not in left_out}
    found: dict[str, Any] = {}
    for step, name in PREPROCESSORS.items():
        status = StepStatus.PENDING if step in needed else StepStatus.SKIPPED
        found[name] = {"required": step in needed, "status": status.value}
        if step == first:
            found[name] |= {"status": _PROCESSING, "started_at": now}
    return found


def enter(step: str, now: str) -> list[Action]:
    """Of the run's own row, when the run comes to ``step``; none if that is no such service."""
    path = _path(step)
    return [path["status"].set(_PROCESSING), path["started_at"].set(now)] if path is not None else []


def enter_again(definition: Definition, left_out: frozenset[int], step: str, now: str) -> list[Action]:
    """Of the run's own row, when an ended run goes on at ``step``: the whole map, which older runs do not have."""
    if step not in PREPROCESSORS:
        return []
    planned = plan_preprocess(definition, left_out, first=step, now=now)
    reached = definition.named(step).order
    for one in definition.steps:
        if one.name in PREPROCESSORS and one.order < reached and one.order not in left_out:
            planned[PREPROCESSORS[one.name]]["status"] = StepStatus.COMPLETED.value
    return [DocumentWorkflow.data["preprocess"].set(planned)]


def leave(step: str, status: StepStatus, reason: str | None, now: str) -> list[Action]:
    """Of the run's own row, when the run leaves ``step``."""
    path = _path(step)
    if path is None:
        return []
    actions = [path["status"].set(status.value), path["ended_at"].set(now)]
    if reason:
        actions.append(path["error" if status == StepStatus.FAILED else "reason"].set(reason))
    return actions


class CrawlRequest(NamedTuple):
    """What a document that asks for a web page says of it."""

    source_url: str
    instruction: str


def take_crawl_request(facts: Mapping[str, Any]) -> tuple[CrawlRequest | None, dict[str, Any]]:
    """The request that a crawl reports among its facts, and the facts that are left for the run's history."""
    left = {name: value for name, value in facts.items() if name not in CrawlRequest._fields}
    if "source_url" not in facts:
        return None, left
    return CrawlRequest(str(facts["source_url"]), str(facts.get("instruction") or "")), left


def keep_request(request: CrawlRequest) -> list[Action]:
    """Of the run's own row."""
    path = _path("webcrawler")
    return [path[name].set(value) for name, value in request._asdict().items() if value]


def _path(step: str) -> Any:
    name = PREPROCESSORS.get(step)
    return DocumentWorkflow.data["preprocess"][name] if name else None
