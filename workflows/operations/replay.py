"""Replay of one step on known artifacts, in a scratch folder: the run, the table and S3 stay unchanged (seed 001).

For regression tests and debugging. The state is a run's, an injected one, or one that overrides a run's. Outside
services are not called unless the caller passes them in; a web request fetches its pages.
"""

import json
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from django.utils.translation import gettext

from config.errors import NotFound, Refused
from config.table import InvalidKey
from projects.models.spec import PP_OCR
from workflows.definitions import versions
from workflows.definitions.blueprint import APPROVE, END, Definition, StepDefinition
from workflows.definitions.rules import Facts
from workflows.engine import publication, step_context, steps
from workflows.executions import queries as execution_queries
from workflows.executions.data import facts_of, write_input
from workflows.learning import calibrations
from workflows.learning.extractors import extractors
from workflows.runs import pinned_types, queries, run_files, run_settings
from workflows.runs.items import Run
from workflows.stages.artifacts import ANALYSED, BUILT, MAKERS
from workflows.stages.base import ArtifactStore, FieldSpec, RunSettings, Stage, StageContext
from workflows.stages.field_spec import with_threshold
from workflows.stages.registry import STAGES
from workflows.stages.services import Services
from workflows.storage import files

_DECISION = "replay/decision.json"
# Local providers of each kind of work; others are called over the network, and may charge for it.
_LOCAL: Mapping[str, tuple[str, Any]] = {
    "paddleocr_processor": ("ocr_model", "pp-ocrv5"),
    "segment_analyzer": ("analyzer", "rules"),
    "document_summarizer": ("summarizer", "local"),
    "transcribe": ("transcriber", "local"),
    "bda_processor": ("use_bda", False),
}


@dataclass(frozen=True)
class State:
    """The injected state. ``artifacts``: name → JSON-able, bytes, or None for a missing one.

    ``settings``: overrides of the run's, by name. ``only``: pages (0-based) of a retry. ``decision``: like a decision
    object.
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
    """What the stage returned, and every artifact that it wrote, by name."""

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
        """Return it JSON-able; for artifacts that are not JSON, the size in bytes and the SHA-256."""
        artifacts = {name: _format_artifact(name, body) for name, body in sorted(self.artifacts.items())}
        head = {"step": self.step, "status": self.status, "reason": self.reason, "facts": dict(self.facts)}
        return {**head, "failed": list(self.failed), "artifacts": artifacts}


class Scratch:
    """An ArtifactStore that reads from the one below and keeps writes; ``hidden`` folders are rebuilt."""

    def __init__(self, under: ArtifactStore | None, injected: Mapping[str, Any], hidden: frozenset[str]) -> None:
        self.under, self.hidden = under, hidden
        self.held: dict[str, bytes | None] = {name: _body(value) for name, value in injected.items()}
        self.written: dict[str, bytes] = {}

    def read(self, name: str) -> bytes:
        if name in self.held:
            held = self.held[name]
            if held is None:
                raise NotFound(gettext("This artifact is not there."))
            return held
        if self.under is None or files.artifact_folder(name) in self.hidden:
            raise NotFound(gettext("This artifact is not there."))
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
        Refused: there is no such stage, the state is invalid, or an outside service would be needed.
        StageFailed: as the stage fails.

    """
    stage = STAGES.get(step)
    if stage is None:
        raise Refused(
            gettext("There is no stage %(step)s. Choose one of %(stages)s.")
            % {"step": step, "stages": ", ".join(STAGES)}
        )
    settled = _inject_state(context, state, _hidden_artifacts(step))
    _check_local(stage, settled)
    scratch = settled.artifacts
    if not isinstance(scratch, Scratch):
        raise Refused(gettext("A replay only writes to a scratch location."))
    if step == ANALYSED and not scratch.exists(files.segment(0)):
        STAGES[BUILT].run(settled)  # the analyzer modifies the segments, so they have to be restored first
        scratch.written.clear()
    if stage.job is not None and (begun := stage.job.begin(settled)) and not stage.job.collect(settled, begun.id):
        raise Refused(gettext("The service has not finished yet. Pass one that answers at once."))
    done = stage.run(settled)
    return ReplayResult(step, done.status, done.reason, done.facts, tuple(sorted(done.failed)), dict(scratch.written))


def _hidden_artifacts(step: str) -> frozenset[str]:
    """Return what the stage writes itself, to hide what an earlier run of it left."""
    first = BUILT if step == ANALYSED else step
    return frozenset(folder for folder, maker in MAKERS.items() if maker == first)


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
    """A general threshold applies to the fields too, as in a re-analysis.

    Raises: Refused if a name is not a setting.
    """
    known = dict(changes)
    threshold = known.get("default_threshold", settings.default_threshold)
    if isinstance(threshold, bool) or not isinstance(threshold, int | float) or not 0 <= threshold <= 1:
        raise Refused(gettext("default_threshold is a number from 0 to 1."))
    known.setdefault("fields", with_threshold(settings.fields, settings.default_threshold, threshold))
    try:
        known["fields"] = tuple(
            one if isinstance(one, FieldSpec) else FieldSpec.from_stored(one) for one in known["fields"]
        )
    except (KeyError, TypeError, ValueError) as error:
        raise Refused(
            gettext("Each of the fields is an object with name, label, type, required and threshold.")
        ) from error
    if "ocr_model" in known:
        known.setdefault("ocr", {})  # a model other than the one that the run pinned
    try:
        return replace(settings, **known)
    except TypeError as error:
        raise Refused(gettext("A run has no such setting: %(known)s.") % {"known": ", ".join(sorted(known))}) from error


def _check_local(stage: Stage, context: StageContext) -> None:
    name, local = _LOCAL.get(stage.name, ("", None))
    if name == "ocr_model" and context.settings.ocr_spec.provider == PP_OCR:
        return
    if name and context.services == Services() and getattr(context.settings, name) != local:
        chosen = getattr(context.settings, name)
        raise Refused(
            gettext(
                "In this run %(chosen)s does the work of %(label)s, and a replay asks no service. "
                'Inject {"settings": {"%(name)s": %(local)s}} to see what this machine makes of it.'
            )
            % {"chosen": chosen, "label": stage.label, "name": name, "local": json.dumps(local)}
        )


def replay_run_step(site: str, run_id: str, step: str, state: State = State()) -> ReplayResult:
    """Replay a step of a stored run, with or without a document; nothing is written or sent.

    Raises:
        NotFound: there is no such run.
        Refused: it has no such step, or as ``replay_stage``.
        StageFailed: as the stage fails.

    """
    if step in STAGES:
        with open_stored_run(site, run_id, step) as context:
            return replay_stage(step, context, state)
    return _replay_execution(site, run_id, step, state) or _replay_other(site, run_id, step, state)


def _replay_other(site: str, run_id: str, step: str, state: State) -> ReplayResult:
    """Replay a step that is not a stage, on the run's result and decision."""
    run = _find_run(site, run_id)
    document, execution = queries.document_of(run), queries.execution(run)
    asked = _step_named(queries.definition_of(execution), step)
    scratch = Scratch(run_files.files_of(run, document), state.artifacts, frozenset())
    found = json.loads(scratch.read(files.result(run_id)))
    name = step_context.decision_of(run, execution)
    decision = state.decision or (json.loads(scratch.read(name)) if name else None)
    if asked.type == "publish":
        merged = publication.compose_published(run, document, scratch, found, decision)
        scratch.write(files.output(run_id), _body(merged) or b"", "application/json")
        return ReplayResult(step, "completed", None, {"next": ""}, (), scratch.written)
    file_type = state.file_type or str(document.data["file_type"])
    facts = steps.known_facts(file_type, found, (decision or {}).get("corrections") or {})
    return _tell_step(queries.definition_of(execution), asked, facts, state)


def _replay_execution(site: str, run_id: str, step: str, state: State) -> ReplayResult | None:
    """Replay a step of an execution without a document, on its data; None if there is none with this id."""
    try:
        execution = execution_queries.get_execution(site, run_id)
    except NotFound:
        return None
    definition = versions.find_definition(execution.definition)
    text = execution_queries.get_input(site, run_id)
    if "input" in state.artifacts:
        text = write_input(state.artifacts["input"])
    return _tell_step(definition, _step_named(definition, step), facts_of(text), state)


def _step_named(definition: Definition, step: str) -> StepDefinition:
    try:
        return definition.named(step)
    except KeyError as error:
        names = ", ".join(one.name for one in definition.steps)
        raise Refused(
            gettext("There is no step %(step)s in %(id)s. Choose one of %(names)s.")
            % {"step": step, "id": definition.id, "names": names}
        ) from error


def _tell_step(definition: Definition, step: StepDefinition, facts: Facts, state: State) -> ReplayResult:
    """Return the step's answer to these facts. Messages, webhooks and changes are reported, not performed."""
    outcome, status, reason = "", "completed", ""
    told: dict[str, Any] = {}
    if step.type in ("choice", "wait"):
        outcome, reason = steps.choose_case(step, facts)
    elif step.type == "approval":
        decided = str((state.decision or {}).get("decision") or "")
        outcome, status = decided if decided == APPROVE else "", decided or "asks"
        reason, told = step.asks or step.label, {"queue": step.queue, "another": step.another}
    elif step.does:
        status, reason, told = "not done", f"Would {step.does.replace('_', ' ')}.", dict(step.parameters)
    if status != "asks":
        following = step.after(outcome)
        told |= {"outcome": outcome, "next": "" if following == END else definition.step(following).name}
    return ReplayResult(step.name, status, reason or None, told, (), {})


def _find_run(site: str, workflow_id: str) -> Run:
    """Raises: NotFound."""
    try:
        board = queries.board(site, workflow_id)
    except InvalidKey as error:
        raise NotFound(gettext("There is no such run here.")) from error
    return Run(site, str(board.project_id), str(board.document_id), workflow_id)


@contextmanager
def open_stored_run(site: str, workflow_id: str, step: str) -> Iterator[StageContext]:
    """Open a stored run as a read-only context. Raises: NotFound."""
    run = _find_run(site, workflow_id)
    document, execution = queries.document_of(run), queries.execution(run)
    settings, stage = run_settings.from_json(document.settings), STAGES.get(step)
    with tempfile.TemporaryDirectory(prefix="countersign-") as folder:
        original = Path(folder) / "original"
        if stage is not None and step_context.needs_original(stage, settings, document):
            run_files.fetch_original(run, document, original)
        yield StageContext(
            workflow_id=workflow_id,
            file_name=str(document.data["file_name"]),
            file_type=str(document.data["file_type"]),
            original=original,
            settings=settings,
            artifacts=run_files.files_of(run, document),
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
    """Parse the ``--state`` option: the names of ``State``; ``original`` is relative to ``folder``. Raises: Refused."""
    known = set(State.__dataclass_fields__)
    if not isinstance(data, dict) or set(data) - known:
        raise Refused(gettext("A state is a JSON object with some of %(known)s.") % {"known": ", ".join(sorted(known))})
    wrong = [name for name, kind in _SHAPES.items() if data.get(name) is not None and not isinstance(data[name], kind)]
    if wrong:
        raise Refused(
            gettext("In a state, %(shapes_told)s. Fix %(wrong)s.")
            % {"shapes_told": _SHAPES_TOLD, "wrong": ", ".join(wrong)}
        )
    more = {name: value for name, value in data.items() if value is not None}
    if more.get("original"):
        more["original"] = folder / more["original"]
        if not more["original"].is_file():
            raise Refused(gettext("There is no file %(original)s.") % {"original": more["original"]})
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
