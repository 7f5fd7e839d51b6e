"""Storing a local file as a document with a run planned by the site's rules, or as a container of documents."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from django.utils.translation import gettext

from config.errors import NotFound, Refused
from config.transaction import Change
from projects.audit.events import Actor
from projects.documents.items import DocumentUnpacking
from projects.documents.queries import get_document
from projects.folders.queries import ROOT
from projects.settings.items import Project, data_for_runs
from workflows.definitions import rules, versions
from workflows.definitions.blueprint import Definition
from workflows.definitions.rules import Effect, Facts, Routing, When
from workflows.engine import limits
from workflows.intake.actions import documents, unpack
from workflows.intake.inspection import Inspection
from workflows.routing import pinned_rules
from workflows.runs import run_settings
from workflows.runs.items import Run
from workflows.runs.new_run import NewRun, Original
from workflows.stages.base import RunSettings
from workflows.storage.objects import DocumentFiles, StoredFile


@dataclass(frozen=True)
class Plan:
    """The planned run of a document, determined before anything is stored.

    ``project``: its ``data`` map; ``chosen``: the document's own overrides.
    """

    site: str
    project_id: str
    project: Mapping[str, Any]
    pinned: RunSettings
    definition: Definition
    routing: Routing
    chosen: Mapping[str, str]


def plan_run(
    site: str, project_id: str, data: Mapping[str, Any], file_type: str, chosen: Mapping[str, str] | None = None,
    *, document_type: str = "",
) -> Plan:  # fmt: skip
    """Evaluate the rules that apply before the analysis, and pin the others with the settings.

    ``chosen``: providers for this document (projects.settings.provider_choice), which override the project's.
    ``document_type``: the id of a classification that a person chose, which overrides rules.

    Raises:
        Refused: the document's classification is gone, or its definition is archived.
        Unavailable: the table or S3 does not answer.

    """
    book = pinned_rules.current_rules(site)
    judgement = rules.judge_rules(book.rules, Facts(file_type), When.UPLOAD)
    project = apply_effect({**data, **(chosen or {})}, judgement.effect)
    if document_type:
        project["classification_id"] = document_type
    try:
        pinned = run_settings.settings_of(site, project_id, project)
    except Refused as error:
        if document_type or not judgement.effect.classification:
            raise
        named = ", ".join(f"“{one.rule}”" for one in judgement.decisions)
        raise Refused(
            gettext("The document type selected by rule %(named)s no longer exists. Change the rule.")
            % {"named": named}
        ) from error
    routed = Routing(pinned_rules.pin_rules(site, book), judgement)
    definition = versions.active_definition(judgement.effect.definition)
    if not definition.needs_document:
        raise Refused(
            gettext("%(name)s runs on data, without documents. Select another workflow in the rules.")
            % {"name": definition.name}
        )
    return Plan(site, project_id, project, pinned, definition, routed, chosen or {})


def start(
    plan: Plan,
    *,
    document_id: str,
    original: Original,
    by: Actor,
    parent_id: str = "",
    also: Sequence[Change] = (),
    batch_line: str = "",
    folder_id: str = "",
) -> Run:
    """Create the document and start its run; ``parent_id``: its container; ``also``: written in the same transaction.

    Raises:
        Conflict: the document exists, or a condition of ``also`` failed.
        Unavailable: the table does not answer; nothing was created.

    """
    new = NewRun(
        Run.new(plan.site, plan.project_id, document_id),
        plan.project,
        plan.pinned,
        original,
        by,
        plan.definition,
        plan.routing,
        parent_id,
        plan.chosen,
        batch_line,
        aside=not batch_line and _stands_aside(plan),  # batches are limited by their slots
        folder_id=folder_id,
    )
    return documents.start(new, also=also)


def start_again(plan: Plan, *, document_id: str, original: Original, by: Actor) -> Run:
    """Make ``original`` the current version of an existing document, and start its run.

    Raises:
        NotFound: no such document, or it was deleted.
        Refused: a run of it is in progress.
        Unavailable: the table does not answer; nothing was changed.

    """
    run, aside = Run.new(plan.site, plan.project_id, document_id), _stands_aside(plan)
    new = NewRun(run, plan.project, plan.pinned, original, by, plan.definition, plan.routing, aside=aside)
    return documents.add_content(new)


def _stands_aside(plan: Plan) -> bool:
    return limits.has_no_slot(plan.site, plan.project_id, project_slots=int(plan.project.get("slots") or 0))


def take_back(store: DocumentFiles, stored: StoredFile) -> None:
    """Delete an original without rows. If only the table's answer was lost, the row exists and the file stays."""
    try:
        named = get_document(store.site, store.document_id).s3version or ""
    except NotFound:
        named = None
    if named != stored.version:
        store.delete_original(stored)


def apply_effect(project: Mapping[str, Any], effect: Effect) -> dict[str, Any]:
    """Return the project's settings with a rule's effect on this document."""
    changed: dict[str, Any] = dict(project)
    if effect.language:
        changed["language"] = effect.language
    if effect.queue:
        changed["review_queue"] = effect.queue
    if effect.classification:
        changed["classification_id"] = effect.classification
    if effect.threshold is not None:
        changed["review_policy"] = {**(project.get("review_policy") or {}), "default_threshold": effect.threshold}
    return changed


T = TypeVar("T")


@dataclass(frozen=True)
class LocalFile:
    """``name`` as people know it; ``found``: the result of the inspection."""

    path: Path
    name: str
    found: Inspection


def enter(
    site: str,
    project: Project,
    document_id: str,
    file: LocalFile,
    *,
    by: Actor,
    parent: DocumentUnpacking | None = None,
    also: Sequence[Change] = (),
    batch_line: str = "",
    document_type: str = "",
) -> Run | None:
    """Store a file and create its rows, with ``also``. On failure neither a row nor a file is left behind.

    Files extracted from an email or an archive go to its folder. Returns the run, or None for an email or an archive:
    then the caller orders its extraction. ``batch_line``: the batch slot that its run or extraction holds.
    ``document_type``: as for ``plan_run``.

    Raises:
        Conflict: the document exists, or a condition of ``also`` failed.
        Refused: the site's rules choose a classification that is gone.
        Unavailable: S3 or the table does not answer.

    """
    data = data_for_runs(project)
    chosen = parent.chosen.as_dict() if parent is not None and parent.chosen is not None else {}
    plan = None
    if not file.found.is_container:
        plan = plan_run(site, project.id, data, file.found.file_type, chosen, document_type=document_type)

    folder_id = _folder_of(site, parent)

    def begin(original: Original) -> Run | None:
        if plan:
            parent_id = parent.documentId if parent else ""
            return start(
                plan, document_id=document_id, original=original, by=by, parent_id=parent_id, also=also,
                batch_line=batch_line, folder_id=folder_id,
            )  # fmt: skip
        unpack.begin(
            site=site, by=by, project_id=project.id, project=data, document_id=document_id, original=original,
            parent=parent, chosen=chosen, also=also, batch_line=batch_line, folder_id=folder_id,
        )  # fmt: skip
        return None

    with file.path.open("rb") as body:
        store = DocumentFiles(site, project.id, document_id)
        return store_and_begin(store, body, file.name, file.found, size=file.path.stat().st_size, begin=begin)


def _folder_of(site: str, parent: DocumentUnpacking | None) -> str:
    try:
        return get_document(site, parent.documentId).folder_id or ROOT if parent else ROOT
    except NotFound:  # deleted meanwhile
        return ROOT


def store_and_begin(
    store: DocumentFiles, body: BinaryIO, name: str, found: Inspection, *, size: int, begin: Callable[[Original], T],
    sha256: str = "",
) -> T:  # fmt: skip
    """Store the original, then create its rows; if ``begin`` fails, the original is deleted.

    ``size``: bytes; ``sha256``: hexadecimal, if it was computed on the way.
    """
    kept = store.save_original(body, found.extension, found.file_type, sha256=sha256)
    try:
        return begin(
            Original(name, found.file_type, size, kept.key, found.page_count, kept.sha256, kept.version)
        )  # fmt: skip
    except Exception:
        take_back(store, kept)
        raise
