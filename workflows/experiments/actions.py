"""Writes of experiments: create, pause, resume, stop, record a cell. Each is one conditional transaction."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any

import yaml
from django.conf import settings
from django.utils.translation import gettext
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action

from config import clock, table
from config.due import actions as due_work
from config.errors import Conflict, NotFound, Refused
from config.phrase import Sentence
from config.transaction import Change, Check, Put, RecordAt, Update, transact
from projects.audit.events import Actor, entity_event
from projects.documents.items import Document
from projects.models import queries as model_queries
from projects.models.spec import ModelSpec
from projects.prompts import queries as prompt_queries
from projects.prompts.book import PinnedPrompt
from projects.prompts.items import PromptHead, PromptVersion
from projects.prompts.prompt import GENERAL
from projects.prompts.queries import PromptRef
from projects.schemas import queries as schema_queries
from projects.settings import queries as project_queries
from workflows.experiments import queries
from workflows.experiments.answering import MadeCell
from workflows.experiments.items import (
    UNDER_WAY,
    Experiment,
    ExperimentCell,
    ExperimentLane,
    ExperimentStatus,
    judged_to_store,
    list_origins,
)
from workflows.experiments.queries import ExperimentRef
from workflows.experiments.results import (
    DONE,
    FAILED,
    PURPOSE,
    REMOVED,
    Cell,
    HalfResult,
    Place,
    Plan,
    Results,
    Variant,
    combine_variants,
)
from workflows.storage import files
from workflows.storage.objects import SiteFiles
from workflows.testsets import queries as testset_queries
from workflows.testsets.cases import HELD_BACK, Case
from workflows.testsets.queries import SetRef

S = ExperimentStatus
HALTED = "halted"
_COUNTERS = {DONE: Experiment.answered, FAILED: Experiment.failed, REMOVED: Experiment.removed}


@dataclass(frozen=True)
class Draft:
    """The input of a new experiment. ``thresholds``: 0–1; ``limit``: dollars.

    ``type_id``: the document type whose prompts are measured; 0 among ``prompts`` is then the general prompt.
    """

    name: str
    testset_id: str
    prompts: tuple[int, ...]
    models: tuple[ModelSpec, ...]
    temperatures: tuple[float, ...] = ()
    thresholds: tuple[float, ...] = (0.8,)
    limit: Decimal = Decimal(5)
    type_id: str = ""


def create_experiment(site: str, project_id: str, draft: Draft, *, by: Actor, experiment_id: str = "") -> ExperimentRef:
    """Pin the newest version of the test set, the prompts and the models. The caller sends the messages.

    Raises:
        NotFound: no such test set, prompt version or document type.
        Refused: nothing to do, too much to do, no limit, or documents of other types.

    """
    set_ref = SetRef(site, project_id, draft.testset_id)
    testset = testset_queries.get_test_set(set_ref)
    if not testset.documents:
        raise Refused(gettext("This test set has no documents yet. Add some first."))
    if draft.limit <= 0:
        raise Refused(gettext("Set a cost limit above 0."))
    if draft.type_id:
        _check_type(site, draft.type_id, testset_queries.load_cases(set_ref, str(testset.sha256)))
    prompt_ref = PromptRef(site, project_id, PURPOSE, draft.type_id or GENERAL)
    general = int(prompt_queries.get_head(prompt_ref.general).production) if draft.type_id else 0
    prompts = {one: _get_version(prompt_ref, one, general).prompt(PURPOSE) for one in draft.prompts}
    known = model_queries.list_models(site)
    variants = combine_variants(draft.prompts, draft.models, draft.temperatures, draft.thresholds, known)
    plan = Plan(
        draft.testset_id,
        int(testset.version),
        str(testset.sha256),
        testset.documents,
        prompts,
        variants,
        _pin_classify(site, project_id),
        draft.type_id,
        general,
    )
    ref = ExperimentRef(site, project_id, experiment_id or clock.new_ulid())
    lanes = max(1, min(settings.EXPERIMENT_LANES, plan.documents))
    head = _new_experiment(ref, draft, plan, lanes, by)
    head.testset_name = testset.name
    head.plan_sha256 = _keep_plan(ref, plan)
    changes: list[Change] = [Put(head), *(Put(_new_lane(ref, lane)) for lane in range(lanes))]
    payload = {"name": draft.name, "variants": len(variants), "documents": plan.documents, "limit": str(draft.limit)}
    transact(changes, _event(ref, "created", by, payload))
    return ref


def _pin_classify(site: str, project_id: str) -> PinnedPrompt:
    """Pin the prompt with which runs determine document types."""
    ref = PromptRef(site, project_id, "classify")
    version = int(prompt_queries.get_head(ref).production)
    return PinnedPrompt(prompt_queries.get_version(ref, version).prompt("classify"), version)


def _get_version(ref: PromptRef, version: int, general: int) -> PromptVersion:
    """Raises: NotFound."""
    return prompt_queries.get_version(ref, version) if version else prompt_queries.get_version(ref.general, general)


def _check_type(site: str, type_id: str, cases: Sequence[Case]) -> None:
    """Check that all documents are of the type, since another type's fields measure nothing.

    Deleted documents count as removed, whatever they were.

    Raises: NotFound, Refused.
    """
    name = schema_queries.get_classification(site, type_id).name
    rows = Document.load_many([table.DOCUMENT.key(site, document_id=one.document_id) for one in cases])
    if others := sum(row.classification_id != type_id for row in rows):
        raise Refused(
            gettext(
                "%(others)s of the %(count)s documents in this test set are not of the type %(name)s. "
                "Choose a test set of such documents only."
            )
            % {"others": others, "count": len(rows), "name": name}
        )


def _keep_plan(ref: ExperimentRef, plan: Plan) -> str:
    body = plan.to_bytes()
    sha256 = files.sha256(body)
    name = files.experiment_plan(ref.project_id, ref.experiment_id, sha256)
    SiteFiles(ref.site).keep(name, body, "application/json")
    return sha256


def _new_experiment(ref: ExperimentRef, draft: Draft, plan: Plan, lanes: int, by: Actor) -> Experiment:
    now = clock.iso(clock.now())
    return Experiment(
        *ref.key,
        experiment_id=ref.experiment_id,
        name=draft.name,
        status=S.QUEUED,
        testset_id=draft.testset_id,
        testset_version=plan.testset_version,
        classification_id=plan.type_id or None,
        variants=len(plan.variants),
        lanes=lanes,
        total=plan.cells,
        limit_micros=round(draft.limit * 1_000_000),
        created_at=now,
        created_by=by.name,
        updated_at=now,
        updated_by=by.name,
    )


def _new_lane(ref: ExperimentRef, lane: int) -> ExperimentLane:
    return ExperimentLane(
        *ref.lane_key(lane),
        **ExperimentLane.due_keys(next_look(), experiment_id=ref.experiment_id),
        project_id=ref.project_id,
        experiment_id=ref.experiment_id,
        lane=lane,
        order_id=clock.new_ulid(),
    )


def next_look() -> str:
    """Return when a silent lane may be taken by another worker: longer than a model takes for an answer."""
    return clock.iso(clock.in_seconds(settings.MESSAGE_LOST_SECONDS))


def start_experiment(ref: ExperimentRef) -> None:
    """Mark the experiment as running when its first worker arrives. Idempotent."""
    with suppress(Conflict):
        Experiment.change(ref.key, [Experiment.status.set(S.RUNNING)], Experiment.status == S.QUEUED)


def pause_experiment(ref: ExperimentRef, *, by: Actor) -> None:
    """Pause; cells in progress are still recorded. Raises: Conflict if it has ended or is paused already."""
    _move(ref, S.PAUSED, "paused", by)


def stop_experiment(ref: ExperimentRef, *, by: Actor) -> None:
    """Stop for good. Raises: Conflict if it has ended already."""
    _move(ref, S.STOPPED, "stopped", by, Experiment.ended_at.set(clock.iso(clock.now())))


def resume_experiment(ref: ExperimentRef, *, limit: Decimal | None = None, by: Actor) -> None:
    """Continue with the remaining cells; ``limit``: the new cost limit in dollars. The caller sends the messages.

    Raises:
        Conflict: it is neither paused nor over its limit.
        Refused: the limit is spent already.

    """
    head = queries.get_experiment(ref)
    _move(
        ref, S.RUNNING, "resumed", by, _raise_limit(head, limit),
        origins=[S.PAUSED, S.OVER_LIMIT], changes=_schedule_lanes(ref, head),
    )  # fmt: skip


def retry_experiment(ref: ExperimentRef, *, limit: Decimal | None = None, by: Actor) -> None:
    """Retry only the failed cells; ``limit`` as for ``resume_experiment``. The caller sends the messages.

    Raises:
        Conflict: it is not done, for example because someone else retries it.
        Refused: nothing failed, or the limit is spent already.

    """
    head = queries.get_experiment(ref)
    if head.status == S.DONE and not head.failed:
        raise Refused(gettext("All answers are there. There is nothing to retry."))
    again = [
        _raise_limit(head, limit), Experiment.retries.set((Experiment.retries | 0) + 1), Experiment.ended_at.remove(),
    ]  # fmt: skip
    # A worker that is about to leave its lane must not remove it from the index: it finds its lease gone.
    begun = [ExperimentLane.position.set(0), ExperimentLane.tries.set(0), *due_work.release_actions()]
    lanes = _schedule_lanes(ref, head, *begun)
    _move(ref, S.RUNNING, "retried", by, *again, origins=[S.DONE], changes=lanes)


def _raise_limit(head: Experiment, limit: Decimal | None) -> Action:
    """Raises: Refused."""
    micros = int(head.limit_micros) if limit is None else round(limit * 1_000_000)
    if micros <= int(head.spent):
        raise Refused(gettext("This limit is spent already. Set a higher one to go on."))
    return Experiment.limit_micros.set(micros)


def _schedule_lanes(ref: ExperimentRef, head: Experiment, *also: Action) -> list[Update]:
    """Schedule each lane with a new order, which invalidates messages that are still in flight."""
    due = due_work.schedule_actions(ExperimentLane, next_look(), experiment_id=ref.experiment_id)
    return [
        Update(ref.lane_key(lane), [*due, ExperimentLane.order_id.set(clock.new_ulid()), *also])
        for lane in range(int(head.lanes))
    ]


def _move(
    ref: ExperimentRef,
    after: ExperimentStatus,
    word: str,
    by: Actor,
    *also: Action,
    origins: Sequence[ExperimentStatus] = (),
    changes: list[Update] | None = None,
) -> None:
    """``origins``: the states to move from; by default all that may lead to ``after``."""
    actions: list[Action] = [
        Experiment.status.set(after),
        Experiment.updated_at.set(clock.iso(clock.now())),
        Experiment.updated_by.set(by.name),
        *also,
    ]
    before = Experiment.status.is_in(*(origins or list_origins(after)))
    try:
        transact([Update(ref.key, actions, before), *(changes or ())], _event(ref, word, by))
    except Conflict as error:
        head = queries.get_experiment(ref)
        raise Conflict(
            gettext("%(updated_by)s changed this experiment: it is %(head)s now.")
            % {"updated_by": head.updated_by, "head": describe_status(head)}
        ) from error


def describe_status(head: Experiment) -> str:
    return str(head.status).replace("_", " ")


def halt_experiment(ref: ExperimentRef, after: ExperimentStatus, sentence: str) -> None:
    """Halt because a worker must not continue. Does nothing if it has ended or was halted meanwhile."""
    actions = [Experiment.status.set(after), Experiment.message.set(sentence)]
    with suppress(Conflict):
        Experiment.change(ref.key, actions, Experiment.status.is_in(S.QUEUED, S.RUNNING))


def claim_lane(row: ExperimentLane, *, order_id: str, owner: str) -> None:
    """Claim a lane.

    Raises: Conflict: another worker has it, another message is expected, it is done, or its cell killed too many
    workers.
    """
    until = next_look()
    later = due_work.postpone_actions(ExperimentLane, until, experiment_id=str(row.experiment_id))
    mine = due_work.if_scheduled() & (ExperimentLane.order_id == order_id)
    due_work.claim(row, owner=owner, when=mine, also=later, until=until)


def renew_lane(row: ExperimentLane, *, owner: str) -> None:
    """Raises: Conflict if another worker has it."""
    until = next_look()
    later = due_work.postpone_actions(ExperimentLane, until, experiment_id=str(row.experiment_id))
    due_work.renew(row, when=(ExperimentLane.lease_owner == owner) & due_work.if_scheduled(), also=later, until=until)


def pass_on_lane(row: ExperimentLane, *, owner: str) -> str:
    """Release the lane for the next message and return that message's order.

    Raises: Conflict if another worker has it.
    """
    order_id = clock.new_ulid()
    actions = [
        *due_work.release_actions(),
        *due_work.postpone_actions(ExperimentLane, next_look(), experiment_id=str(row.experiment_id)),
        ExperimentLane.tries.set(0),
        ExperimentLane.order_id.set(order_id),
    ]
    ExperimentLane.change(row.key, actions, (ExperimentLane.lease_owner == owner) & due_work.if_scheduled())
    return order_id


def finish_lane(ref: ExperimentRef, row: ExperimentLane, *, owner: str, is_done: bool) -> None:
    """Finish a lane without remaining work: for good if ``is_done``, else until the experiment is resumed.

    Raises:
        Conflict: another worker has it; or, with ``HALTED`` alone in ``failed``, the experiment was resumed.

    """
    actions = [*due_work.finish_actions(), *due_work.release_actions(), ExperimentLane.tries.set(0)]
    changes: list[Change] = [Update(row.key, actions, ExperimentLane.lease_owner == owner, name="lane")]
    if not is_done:
        changes.append(Check(ref.key, ~Experiment.status.is_in(*UNDER_WAY), name=HALTED))
    transact(changes)


def record_cell(
    ref: ExperimentRef,
    plan: Plan,
    row: ExperimentLane,
    place: Place,
    made: MadeCell,
    *,
    mine: Condition,
    failed: ExperimentCell | None = None,
    tries: int = 1,
) -> None:
    """Store a cell and move its lane on. ``mine``: why the lane is the caller's; ``failed``: the cell it replaces.

    Raises:
        Conflict: the lane is another's, or has moved on: this cell was recorded already.

    """
    cell, before = made.cell, failed.to_cell() if failed else Cell("", "", 0, "")
    tokens = cell.tokens_in + cell.tokens_out - before.tokens_in - before.tokens_out
    counted: list[Action] = [
        *_count_status(before.status, cell.status),
        Experiment.asked.set((Experiment.asked | 0) + made.asked),
        Experiment.tokens.set((Experiment.tokens | 0) + tokens),
        Experiment.micros.set((Experiment.micros | 0) + (cell.micros - before.micros)),
        Experiment.spent.set((Experiment.spent | 0) + made.spent),
        Experiment.updated_at.set(clock.iso(clock.now())),
    ]
    on = [ExperimentLane.position.set(place.position + 1), ExperimentLane.tries.set(tries)]
    changes: list[Change] = [
        Put(_new_cell(ref, plan, place, made), overwrite=failed is not None),
        Update(row.key, on, mine & (ExperimentLane.position == int(row.position))),
        Update(ref.key, counted),
    ]
    transact(changes)


def _count_status(before: str, after: str) -> list[Action]:
    """``before``: empty if there was no cell."""
    moves = {one: (one == after) - (one == before) for one in _COUNTERS}
    return [_COUNTERS[one].set((_COUNTERS[one] | 0) + by) for one, by in moves.items() if by]


def _new_cell(ref: ExperimentRef, plan: Plan, place: Place, made: MadeCell) -> ExperimentCell:
    cell, number = made.cell, place.number(plan)
    return ExperimentCell(
        *ref.cell_key(number),
        number=number,
        case=place.case,
        variant=cell.variant,
        document_id=cell.document_id,
        workflow_id=made.workflow_id or None,
        half=cell.half,
        status=cell.status,
        judged=judged_to_store(cell.judged) if cell.status == DONE else None,
        exact=not any(one.is_mistaken for one in cell.judged) if cell.status == DONE else None,
        tokens_in=cell.tokens_in,
        tokens_out=cell.tokens_out,
        micros=cell.micros,
        ms=cell.ms,
        asked=made.asked,
        created_at=clock.iso(clock.now()),
    )


def record_results(ref: ExperimentRef, results: Results) -> None:
    """Store the results so far; an earlier state never replaces a later one."""
    body = results.to_bytes()
    sha256 = files.sha256(body)
    SiteFiles(ref.site).keep(
        files.experiment_results(ref.project_id, ref.experiment_id, sha256), body, "application/json"
    )
    actions = [Experiment.results_sha256.set(sha256), Experiment.results_progress.set(results.progress)]
    with suppress(Conflict):
        Experiment.change(ref.key, actions, Experiment.results_progress < results.progress)


def end_experiment(ref: ExperimentRef) -> None:
    """End the experiment after its last cell. Idempotent."""
    actions = [Experiment.status.set(S.DONE), Experiment.ended_at.set(clock.iso(clock.now()))]
    with suppress(Conflict):
        Experiment.change(ref.key, actions, Experiment.status.is_in(*list_origins(S.DONE)))


def _event(ref: ExperimentRef, word: str, by: Actor, payload: Mapping[str, Any] | None = None) -> RecordAt:
    entity = f"{ref.project_id}.{ref.experiment_id}"
    return entity_event(ref.site, "experiment", entity, word, by=by, payload=payload or {})


_NEEDED = {"project", "test_set", "prompts", "models"}
_KNOWN = _NEEDED | {"name", "document_type", "temperatures", "thresholds", "limit", "at_least"}
_MEASURES = ("f1", "exact")


@dataclass(frozen=True)
class Declaration:
    """An experiment as a file declares it. ``at_least``: measure → share that the best variant must reach."""

    project_id: str
    draft: Draft
    at_least: Mapping[str, float] = field(default_factory=dict)


def read_declaration(site: str, text: str) -> Declaration:
    """Parse and check a declaration.

    Raises:
        Refused: with what is wrong in the file.
        NotFound: a project, test set, version or model does not exist.

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
        raise Refused(gettext("The file has a value that must be a number.")) from error
    if unknown := sorted(set(at_least) - set(_MEASURES)):
        raise Refused(f"at_least accepts {' and '.join(_MEASURES)}, not {', '.join(unknown)}.")
    return Declaration(project.id, draft, at_least)


def _parse(text: str) -> Mapping[str, Any]:
    try:
        stored = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise Refused(gettext("The file is not valid YAML.")) from error
    if not isinstance(stored, dict):
        raise Refused(gettext("The file has no entries. It needs project, test_set, prompts and models."))
    if missing := sorted(_NEEDED - set(stored)):
        raise Refused(gettext("The file lacks %(missing)s.") % {"missing": ", ".join(missing)})
    if unknown := sorted(str(one) for one in set(stored) - _KNOWN):
        raise Refused(
            gettext("The file has entries that are not known: %(unknown)s.") % {"unknown": ", ".join(unknown)}
        )
    return stored


def _list(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else [value]


def _read_version(given: Any, head: PromptHead) -> int:
    named = {"production": head.production, "candidate": head.candidate, "newest": head.version}
    if given not in named:
        return int(given)
    if not named[given] and given != "production":  # there, 0 is the general prompt
        raise Refused(gettext("This prompt has no %(given)s version. Name another one.") % {"given": given})
    return int(named[given])


def _find_type(site: str, wanted: str) -> str:
    """Return the type by its ID or name; empty if none is given. Raises: NotFound."""
    if not wanted:
        return ""
    for one in schema_queries.all_classifications(site):
        if wanted in {one.id, one.name}:
            return one.id
    raise NotFound(gettext("There is no document type %(wanted)s.") % {"wanted": wanted[:100]})


def _find_test_set(site: str, project_id: str, wanted: str) -> str:
    """Return the test set by its ID, or by name among the newest ones."""
    rows = testset_queries.list_test_sets(site, project_id).rows
    if found := next((one for one in rows if wanted in {one.testset_id, one.name}), None):
        return str(found.testset_id)
    return str(testset_queries.get_test_set(SetRef(site, project_id, wanted)).testset_id)


def find_best(variants: Sequence[Variant], results: Results) -> tuple[Variant, HalfResult]:
    """Return the best variant by failures, then F1, on the held-back half.

    Raises: NotFound if nothing is measured there.
    """
    measured = [(one, results.halves[one.number][HELD_BACK]) for one in variants]
    scored = [(half.merit, -one.number, one, half) for one, half in measured if half.merit]
    if not scored:
        raise NotFound(gettext("Nothing was measured on the held-back half."))
    _, _, best, half = max(scored, key=lambda one: one[:2])
    return best, half


def list_shortfalls(half: HalfResult, at_least: Mapping[str, float]) -> list[str]:
    """List measures below the required shares, as sentences; failed answers are in no share."""
    found = {"f1": half.f1, "exact": half.exact}
    failed: list[str] = (
        [Sentence("Failed answers on the held-back half: %(failed)s.").fill(failed=half.failed)]
        if at_least and half.failed
        else []
    )
    return failed + [
        Sentence("%(name)s is %(share)s, below %(needed)s.").fill(
            name=name, share=f"{one.share:.3f}", needed=f"{needed:.3f}"
        )
        for name, needed in at_least.items()
        if (one := found[name]) is not None and one.share < needed
    ]
