"""One stage on known artifacts, in a scratch place: nothing is written to the run, the table or S3 (seed 001).

For regression tests and for finding out why a step did what it did. The state is a run's, an injected one, or one laid
over a run's. Outside services are not asked unless a caller hands them in; a web request fetches its pages.
"""

import json
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from config.errors import NotFound, Refused
from config.table import InvalidKey
from projects.models.spec import PP_OCR
from workflows.documents import reruns
from workflows.documents.reruns import ANALYSED, BUILT
from workflows.engine import step_context
from workflows.extractors import extractors
from workflows.learning import calibrations
from workflows.runs import pinned_types, queries, run_settings
from workflows.runs.items import Run
from workflows.stages.base import ArtifactStore, FieldSpec, RunSettings, Stage, StageContext
from workflows.stages.field_spec import with_threshold
from workflows.stages.registry import STAGES
from workflows.stages.services import Services
from workflows.storage import files

_DECISION = "replay/decision.json"
# Who does a stage's work on this machine; others are asked over the network, and may charge for it.
_LOCAL: Mapping[str, tuple[str, Any]] = {
    "paddleocr_processor": ("ocr_model", "pp-ocrv5"),
    "segment_analyzer": ("analyzer", "rules"),
    "document_summarizer": ("summarizer", "local"),
    "transcribe": ("transcriber", "local"),
    "bda_processor": ("use_bda", False),
}


@dataclass(frozen=True)
class State:
    """What is injected. ``artifacts``: name → JSON-able, bytes, or None for one that is not there.

    ``settings``: by their names, laid over the run's. ``only``: pages (0-based) of a retry. ``decision``: as a decision
    object has it.
    """

    artifacts: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    file_name: str = ""
    file_type: str = ""
    original: Path | None = None
    only: frozenset[int] | None = None
    decision: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class ReplayResult:
    """What the stage answered, and every artifact that it wrote, by name."""

    step: str
    status: str
    reason: str | None
    facts: Mapping[str, Any]
    failed: tuple[int, ...]
    artifacts: Mapping[str, bytes]

    def json(self, name: str) -> Any:
        return json.loads(self.artifacts[name])

    @property
    def told(self) -> dict[str, Any]:
        """JSON-able: of what is no JSON itself, the size in bytes and the SHA-256."""
        artifacts = {name: _format_artifact(name, body) for name, body in sorted(self.artifacts.items())}
        head = {"step": self.step, "status": self.status, "reason": self.reason, "facts": dict(self.facts)}
        return {**head, "failed": list(self.failed), "artifacts": artifacts}


class Scratch:
    """An ArtifactStore that reads what lies under it and keeps what is written; ``hidden`` folders are made anew."""

    def __init__(self, under: ArtifactStore | None, injected: Mapping[str, Any], hidden: frozenset[str]) -> None:
        self.under, self.hidden = under, hidden
        self.held: dict[str, bytes | None] = {name: _body(value) for name, value in injected.items()}
        self.written: dict[str, bytes] = {}

    def read(self, name: str) -> bytes:
        if name in self.held:
            held = self.held[name]
            if held is None:
                raise NotFound("This artifact is not there.")
            return held
        if self.under is None or files.artifact_folder(name) in self.hidden:
            raise NotFound("This artifact is not there.")
        return self.under.read(name)

    def write(self, name: str, body: bytes, content_type: str) -> str:  # noqa: ARG002 - an ArtifactStore's signature
        self.held[name] = self.written[name] = body
        return f"scratch:/{name}"

    def write_new(self, name: str, body: bytes, content_type: str) -> bool:
        if self.exists(name):
            return False
        self.write(name, body, content_type)
        return True

    def exists(self, name: str) -> bool:
        try:
            self.read(name)
        except NotFound:
            return False
        return True

    def uri(self, name: str) -> str:
        return self.under.uri(name) if self.under else f"scratch:/{name}"


def replay_stage(step: str, context: StageContext, state: State = State()) -> ReplayResult:
    """Run one stage; ``context.artifacts`` is only read. Deterministic: the same state gives the same bytes.

    Raises:
        Refused: there is no such stage, the state is none, or someone else's work would be needed.
        StageFailed: as the stage fails.

    """
    stage = STAGES.get(step)
    if stage is None:
        raise Refused(f"There is no stage {step}. Choose one of {', '.join(STAGES)}.")
    settled = _inject_state(context, state, _hidden_artifacts(step))
    _check_local(stage, settled)
    scratch = settled.artifacts
    if not isinstance(scratch, Scratch):
        raise Refused("A replay writes into a scratch place only.")
    if step == ANALYSED and not scratch.exists(files.segment(0)):
        STAGES[BUILT].run(settled)  # the analyzer writes into the segments: it has to find them as they were
        scratch.written.clear()
    if stage.job is not None and (begun := stage.job.begin(settled)) and not stage.job.collect(settled, begun.id):
        raise Refused("The service has not done its work yet. Hand in one that answers at once.")
    done = stage.run(settled)
    return ReplayResult(step, done.status, done.reason, done.facts, tuple(sorted(done.failed)), dict(scratch.written))


def _hidden_artifacts(step: str) -> frozenset[str]:
    """What the stage is to make itself, whatever an earlier run of it has left."""
    first = BUILT if step == ANALYSED else step
    return frozenset(folder for folder, maker in reruns.MAKERS.items() if maker == first)


def _inject_state(context: StageContext, state: State, hidden: frozenset[str]) -> StageContext:
    artifacts = dict(state.artifacts)
    if state.decision is not None:
        artifacts[_DECISION] = dict(state.decision)
    settled = settings_with(context.settings, state.settings)
    return replace(
        context,
        settings=settled,
        types=context.types.with_threshold(context.settings.default_threshold, settled.default_threshold),
        file_name=state.file_name or context.file_name,
        file_type=state.file_type or context.file_type,
        original=state.original or context.original,
        only=context.only if state.only is None else state.only,
        decision=context.decision if state.decision is None else _DECISION,
        artifacts=Scratch(context.artifacts, artifacts, hidden),
    )


def settings_with(settings: RunSettings, changes: Mapping[str, Any]) -> RunSettings:
    """A general threshold holds for the fields too, as it does when a document is analysed otherwise.

    Raises: Refused, if a name is none of the settings'.
    """
    known = dict(changes)
    threshold = known.get("default_threshold", settings.default_threshold)
    if isinstance(threshold, bool) or not isinstance(threshold, int | float) or not 0 <= threshold <= 1:
        raise Refused("default_threshold is a number from 0 to 1.")
    known.setdefault("fields", with_threshold(settings.fields, settings.default_threshold, threshold))
    try:
        known["fields"] = tuple(
            one if isinstance(one, FieldSpec) else FieldSpec.from_stored(one) for one in known["fields"]
        )
    except (KeyError, TypeError, ValueError) as error:
        raise Refused("Each of the fields is an object with name, label, type, required and threshold.") from error
    if "ocr_model" in known:
        known.setdefault("ocr", {})  # another model than the one that the run pinned
    try:
        return replace(settings, **known)
    except TypeError as error:
        raise Refused(f"A run has no such setting: {', '.join(sorted(known))}.") from error


def _check_local(stage: Stage, context: StageContext) -> None:
    name, local = _LOCAL.get(stage.name, ("", None))
    if name == "ocr_model" and context.settings.ocr_spec.provider == PP_OCR:
        return
    if name and context.services == Services() and getattr(context.settings, name) != local:
        chosen = getattr(context.settings, name)
        raise Refused(
            f"In this run {chosen} does the work of {stage.label}, and a replay asks no service. "
            f'Inject {{"settings": {{"{name}": {json.dumps(local)}}}}} to see what this machine makes of it.'
        )


@contextmanager
def open_stored_run(site: str, workflow_id: str, step: str) -> Iterator[StageContext]:
    """A run as its rows and files have it, read and not changed. Raises: NotFound."""
    try:
        board = queries.board(site, workflow_id)
    except InvalidKey as error:
        raise NotFound("There is no such run here.") from error
    run = Run(site, str(board.project_id), str(board.document_id), workflow_id)
    document, execution = step_context.document_of(run), queries.execution(run)
    settings, stage = run_settings.from_json(document.settings), STAGES.get(step)
    with tempfile.TemporaryDirectory(prefix="countersign-") as folder:
        original = Path(folder) / "original"
        if stage is not None and step_context.needs_original(stage, settings, document):
            step_context.fetch_original(run, document, original)
        yield StageContext(
            workflow_id=workflow_id,
            file_name=str(document.data["file_name"]),
            file_type=str(document.data["file_type"]),
            original=original,
            settings=settings,
            artifacts=step_context.files_of(run, document),
            heartbeat=lambda: None,
            project_id=run.project_id,
            decision=step_context.decision_of(run, execution),
            types=pinned_types.load_types(site, settings.types_sha256),
            calibration=calibrations.run_calibration(run, settings),
            extractor=extractors.run_extractor(run, settings),
        )


_SHAPES: Mapping[str, type] = {
    "artifacts": dict, "settings": dict, "decision": dict, "only": list, "original": str, "file_name": str,
    "file_type": str,
}  # fmt: skip
_SHAPES_TOLD = "artifacts, settings and decision are objects, only is a list of pages from 0, the others are texts"


def state_from(data: Any, folder: Path) -> State:
    """As ``--state`` has it: the names of ``State``; ``original`` is a path relative to ``folder``. Raises: Refused."""
    known = set(State.__dataclass_fields__)
    if not isinstance(data, dict) or set(data) - known:
        raise Refused(f"A state is a JSON object with some of {', '.join(sorted(known))}.")
    wrong = [name for name, kind in _SHAPES.items() if data.get(name) is not None and not isinstance(data[name], kind)]
    if wrong:
        raise Refused(f"In a state, {_SHAPES_TOLD}. Mend {', '.join(wrong)}.")
    more = {name: value for name, value in data.items() if value is not None}
    if more.get("original"):
        more["original"] = folder / more["original"]
        if not more["original"].is_file():
            raise Refused(f"There is no file {more['original']}.")
    if "only" in more:
        more["only"] = frozenset(int(index) for index in more["only"])
    return State(**more)


def _body(value: Any) -> bytes | None:
    if value is None or isinstance(value, bytes):
        return value
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


def _format_artifact(name: str, body: bytes) -> Any:
    if name.endswith(".json"):
        return json.loads(body)
    return {"bytes": len(body), "sha256": files.sha256(body)}
