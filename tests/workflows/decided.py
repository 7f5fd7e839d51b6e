"""Runs that a person decided and that were published, without the machine's minutes: rows and objects as both leave."""

import json
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from config.transaction import Update, transact
from projects.audit.events import Actor
from projects.settings import actions as setting_actions
from projects.settings.items import Project
from projects.settings.queries import get_project
from projects.settings.values import ProjectSettings
from workflows.intake.actions import documents
from workflows.runs import queries, run_settings
from workflows.runs.actions import advance
from workflows.runs.items import Execution, Outcome, Run
from workflows.runs.new_run import NewRun, Original
from workflows.stages.base import RunSettings
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

ANNA = Actor("1", "Anna Berg")
SELLERS = ("MERANTI", "KELANA", "SURIA TIMUR", "BUKIT LIMA", "TERATAI", "HARTMANN")


def project(site: str = "default", name: str = "Receipts") -> str:
    made = setting_actions.create_project(
        site, ProjectSettings(name), by=ANNA, project_id=setting_actions.new_project_id()
    )
    return made.id


def pin_learned(project_id: str, *, site: str = "default", **calibration: str) -> None:
    """Calibration 3 and extractor 2 are active, as rows say it."""
    held = {
        "calibration": {"version": 3, "sha256": "c" * 64, **calibration},
        "extractor": {"version": 2, "sha256": "e" * 64},
    }
    stored: Any = Project.data
    transact([Update(get_project(site, project_id).key, [stored[name].set(one) for name, one in held.items()])])


def pinned_learned(site: str, document_id: str) -> tuple[int, int]:
    """Return the versions of the calibration and of the extractor that the document's newest run pinned."""
    newest = max(queries.document_workflows(site, document_id).rows, key=lambda row: row.SK)
    pinned = run_settings.from_json(newest.settings)
    return pinned.calibration_version, pinned.extractor_version


def field(name: str, kind: str, value: str | None, **evidence: float) -> dict[str, Any]:
    return {
        "name": name, "type": kind, "value": value, "confidence": 0.5, "source": "rules",
        "candidates": [{"value": value, "evidence": evidence}] if value else [],
    }  # fmt: skip


def decided_run(
    project_id: str,
    fields: list[dict[str, Any]],
    corrections: Mapping[str, str | None],
    *,
    site: str = "default",
    outcome: Outcome = Outcome.PUBLISHED,
    pinned: RunSettings | None = None,
    unseen: tuple[str, ...] = (),
    answers: Mapping[str, str] | None = None,
    segments: Sequence[Mapping[str, Any]] = (),
) -> Run:
    run = documents.start(
        NewRun(
            Run.new(site, project_id, str(uuid.uuid4())),
            by=ANNA,
            project={},
            pinned=pinned or run_settings.freeze({}),
            original=Original("receipt.pdf", "application/pdf", 10, "projects/p/x.pdf", 1),
        )
    )
    store = DocumentFiles(site, project_id, run.document_id)
    pages = [{"index": place} for place in range(len(segments))]
    result = json.dumps({"version": 1, "fields": fields, "pages": pages}).encode()
    for place, segment in enumerate(segments):
        store.write(files.segment(place), json.dumps(segment).encode(), "application/json")
    said = {"corrections": dict(corrections), "unseen": unseen, "answers": answers or {}}
    decision = json.dumps({"version": 1, **said}).encode()
    kept = files.sha256(decision)
    store.write(files.result(run.workflow_id), result, "application/json")
    store.write(files.decision(run.workflow_id, "d1", kept), decision, "application/json")
    done = [
        Execution.result_sha256.set(files.sha256(result)),
        Execution.decision_id.set("d1"),
        Execution.decision_sha256.set(kept),
        Execution.outcome.set(outcome),
    ]
    Execution.change(advance.execution_key(run), done, Execution.PK.exists())
    return run


def reviewed_project(count: int = 24, *, site: str = "default") -> str:
    """Every third total was wrong and had no label; the companies, of six sellers, were kept."""
    project_id = project(site)
    for number in range(count):
        wrong = number % 3 == 0
        fields = [
            field("total", "amount", "12.00", label=0.0 if wrong else 1.0, margin=0.5),
            field("company", "text", f"{SELLERS[number % len(SELLERS)]} SDN BHD", legal=1.0),
        ]
        decided_run(project_id, fields, {"total": "13.00"} if wrong else {}, site=site)
    return project_id
