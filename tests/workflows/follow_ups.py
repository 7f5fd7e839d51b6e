"""Published documents with something to follow, without the machine's minutes; and a receiver of webhooks."""

import json
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

from projects.audit.events import Actor
from tests.factories import PROJECT, PROJECT_ID, SITE
from tests.serving import serving
from tests.workflows.make_rules import make_rule, make_ruleset
from workflows.definitions.blueprint import DOCUMENT_ANALYSIS
from workflows.definitions.rules import Act, When
from workflows.engine import steps
from workflows.engine.step_work import StepOrder
from workflows.intake import store as intake_store
from workflows.publish import actions as follow_up_actions
from workflows.publish import follow_ups
from workflows.publish import queries as publish_queries
from workflows.publish.items import DocumentAction, FollowUp
from workflows.runs import queries
from workflows.runs.actions import advance
from workflows.runs.items import Execution, Run, WorkflowSteps
from workflows.runs.new_run import Original
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

PUBLISH = DOCUMENT_ANALYSIS.named("publish").order
ROSA = Actor("7", "Rosa Marin")
MARTA = Actor("8", "Marta Kowalczyk")
NOTIFY = Act("NOTIFY", {"to": "a@example.org, b@example.org"})
QUEUE = Act("QUEUE", {"queue": "q1"})
VALUES = {"company": "Alder & Quill", "total": "510.24", "date": "2024-03-12", "invoice_number": None}


def result(values: dict[str, str | None]) -> dict[str, Any]:
    fields = [
        {"name": one["name"], "label": one["label"], "type": one["type"], "value": values.get(one["name"]), "raw": None}
        | {"confidence": 0.9, "page": 0, "box": None, "source": "rules"}
        for one in PROJECT["fields"]  # type: ignore[attr-defined]
    ]
    return {"version": 1, "document_type": "invoice", "pages": [], "fields": fields, "notes": []}


def ready(site: str = SITE, *, values: dict[str, str | None] = VALUES, pages: int = 2) -> Run:
    """A run whose next step publishes, under the rules and mappings that there are."""
    plan = intake_store.plan_run(site, PROJECT_ID, PROJECT, "application/pdf")
    original = Original("secret-name.pdf", "application/pdf", 10, "projects/p/x.pdf", pages)
    run = intake_store.start(plan, document_id=str(uuid.uuid4()), original=original, by=Actor("test", "test"))
    store = DocumentFiles(site, PROJECT_ID, run.document_id)
    body = json.dumps(result(values)).encode()
    store.write(files.result(run.workflow_id), body, "application/json")
    for index in range(pages):
        page = json.dumps({"text_content": f"Seite {index + 1} ß"}).encode()
        store.write(files.segment(index), page, "application/json")
    at_publish = [Execution.currentStep.set(PUBLISH), Execution.result_sha256.set(files.sha256(body))]
    Execution.change(advance.execution_key(run), at_publish, Execution.PK.exists())
    WorkflowSteps.change(advance.board_key(run), [WorkflowSteps.page_count.set(pages)], WorkflowSteps.PK.exists())
    return run


def publish(run: Run) -> Any:
    return steps.perform(
        StepOrder(run, PUBLISH, 1), owner="publisher", keep=lambda: None, token=None, send=lambda *_: None
    )


def published(*acts: Act, site: str = SITE) -> Run:
    """A published document on which a rule wants these done."""
    if acts:
        make_rule(make_ruleset(site=site), when=When.UPLOAD, actions=acts, site=site)
    run = ready(site)
    publish(run)
    return run


def drive(run: Run, owner: str = "worker") -> None:
    follow_ups.drive_follow_ups(run, owner=owner)


def hook(url: str) -> Act:
    return Act("WEBHOOK", {"url": url})


def action(run: Run, number: int = 0) -> DocumentAction:
    return publish_queries.actions_of(run)[number]


def now_due(run: Run) -> None:
    """As if the time of the next attempt had come."""
    past = [FollowUp.due_at.set("2020-01-01T00:00:00.000000+00:00")]
    FollowUp.change(follow_up_actions.follow_up_key_of(run), past, FollowUp.PK.exists())


def statuses(run: Run) -> list[str]:
    return [one.status for one in publish_queries.actions_of(run)]


def kinds(run: Run) -> list[str]:
    return [one.type for one in queries.lineage(run.site, run.document_id).rows]


@dataclass
class Receiver:
    """``answers``: the statuses to answer with, the last one over and over. ``got``: headers and body of each call."""

    url: str = ""
    answers: list[int] = field(default_factory=lambda: [200])
    got: list[tuple[dict[str, str], bytes]] = field(default_factory=list)


@contextmanager
def receiver(*answers: int) -> Iterator[Receiver]:
    """An HTTP server on this machine."""
    kept = Receiver(answers=list(answers) or [200])

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            kept.got.append((dict(self.headers), body))
            status = kept.answers[min(len(kept.got), len(kept.answers)) - 1]
            self.send_response(status)
            if 300 <= status < 400:
                self.send_header("Location", kept.url)
            self.end_headers()

        def log_message(self, *args: Sequence[Any]) -> None:
            return

    server = HTTPServer(("127.0.0.1", 0), Handler)
    kept.url = f"http://127.0.0.1:{server.server_port}/hook?a=1"
    with serving(server):
        yield kept
