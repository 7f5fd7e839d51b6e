"""A purged document leaves nothing but what ``projects.documents.removal_changes.LEFT`` names, however it came and
went.

One word stands in the documents, in their files' names and in everything that people type about them; both tables, the
bucket, the database and this process's memory are looked through for it, the first three for the documents' ids too.
"""

import io
import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from django.apps import apps
from django.conf import LazySettings, settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from config import aws, clock
from config.deploy import bootstrap
from projects.documents.actions import locks, properties
from projects.folders import actions as folders
from projects.folders.items import EntryType
from projects.settings import actions as project_actions
from projects.settings.items import Project
from projects.settings.values import ProjectSettings
from projects.shares import actions as shares
from projects.shares.actions import LinkDraft
from projects.shares.items import PrincipalType
from projects.shares.queries import Principal
from projects.sites import api_keys
from projects.sites.permissions import Permission
from review import queries as review_queries
from review.cases import actions as cases
from review.cases.actions import CaseText
from review.decide import claims, decisions, drafts
from review.decide.drafts import TypedValues
from review.messages import actions as messages
from review.status import Decision
from tests.conftest import queue_urls
from tests.factories import ROSA, ref_of, verdict
from tests.flow.protocol import sweep_until_ended
from tests.held import holding
from tests.people import bob, signed_in
from tests.projects.make_sites import BY
from tests.pump import Pump
from tests.workflows import stored
from tests.workflows.batches import bulk
from tests.workflows.boxes import zipped
from tests.workflows.make_rules import make_rule, make_ruleset, says
from tests.workflows.search.published import found
from tests.workflows.test_api import API
from workflows.definitions.rules import Act
from workflows.documents.actions import removals
from workflows.intake import bucket as incoming_actions
from workflows.questions import actions as question_actions
from workflows.questions import queries as question_queries
from workflows.questions import tasks as question_tasks
from workflows.runs import queries
from workflows.runs.items import Run

pytestmark = pytest.mark.django_db
SITE, WORD = "default", "Quixmarkle"


@pytest.fixture
def everywhere(pump: Pump, settings: LazySettings) -> Pump:
    settings.TELL_SENDERS, settings.TELL_SENDERS_WHY = "mail", True
    pump.queues = tuple(settings.QUEUE_URLS)
    return pump


def paper(number: int) -> bytes:
    return f"Invoice {number}\n{WORD} Holdings Ltd\n{number} {WORD} Street\nDate 2025-11-14\nTotal 12.34\n".encode()


def run_of(document_id: str, project: Project) -> Run:
    row = queries.project_document(SITE, project.id, document_id)
    return Run(SITE, project.id, document_id, str(row.workflow_id))


def arrive(pump: Pump, project: Project) -> dict[str, str]:
    """By each way that a document may come: how → its id; ``archive`` is the one that another came out of."""
    _, key = api_keys.create_api_key(SITE, "Scanner", list(Permission), by=BY)
    program = Client(headers={"Authorization": f"Bearer {key}"})
    file = io.BytesIO(paper(1))
    file.name = f"{WORD} 1.txt"
    sent = program.post(
        f"{API}/projects/{project.id}/documents", {"file": file}, headers={"Idempotency-Key": f"{WORD} 1"}
    )
    archive = signed_in(bob()).post(
        f"/workflows/projects/{project.id}/upload/",
        {"files": SimpleUploadedFile(f"{WORD}.zip", zipped({f"{WORD}/{WORD} 2.txt": paper(2)}))},
        headers={"accept": "application/json"},
    )
    archive_id = archive.json()["files"][0]["url"].rstrip("/").rpartition("/")[2]
    incoming_actions.add_tenant("acme", SITE, project, by=BY)
    aws.aws_client("s3").put_object(Bucket=settings.BUCKET_NAME, Key=f"raw/2026/11/21/acme/{WORD} 3.txt", Body=paper(3))
    bulk.make(project, [{"key": bulk.put(f"{WORD} 4.txt", paper(4)), "name": f"{WORD} 4.txt"}])
    pump.run(lambda: len(queries.project_documents(SITE, project.id).rows) == 5, seconds=60)
    by_name = {str(row.name): str(row.document_id) for row in queries.project_documents(SITE, project.id).rows}
    assert by_name[f"{WORD} 1.txt"] == sent.json()["document_id"]
    ways = {"api": 1, "child": 2, "bucket": 3, "batch": 4}
    return {way: by_name[f"{WORD} {number}.txt"] for way, number in ways.items()} | {"archive": archive_id}


def review(pump: Pump, run: Run, decision: Decision = Decision.APPROVE) -> None:
    """Drafted, corrected and decided, with words of its own in each."""

    def waits() -> bool:
        return any(row.document_id == run.document_id for row in review_queries.list_queue(SITE).rows)

    pump.run(waits, seconds=60)
    ref = ref_of(run)
    claims.claim_review(ref, run, by=ROSA)
    messages.add_comment(ref, run, f"{WORD} looks odd", message_id=clock.new_ulid(), by=ROSA)
    drafts.keep_draft(ref, TypedValues({"company": f"{WORD} drafted"}, reason=f"{WORD} reason"), by=ROSA)
    chosen = verdict(ref, decision, company=f"{WORD} corrected", address=f"1 {WORD} Road")
    if decision == Decision.REJECT:
        chosen = replace(verdict(ref, decision), reason=f"{WORD} is not ours")
    decisions.decide_review(ref, run, chosen, by=ROSA)
    sweep_until_ended(run, pump)


def ask(pump: Pump, run: Run) -> None:
    ref = question_actions.ask_question(run, 0, f"Where is {WORD}?", by=BY)
    question_tasks.order_answer(ref, 1)
    pump.run(lambda: question_queries.get_question(ref).status not in ("pending", "waiting", "asked"), seconds=30)


def file_away(document_id: str, case_id: str) -> None:
    """In a case, in a folder, shared with a person and by a link that was opened once."""
    cases.attach_document(SITE, case_id, document_id, by=BY)
    folders.move_document(SITE, document_id, folders.create_path(SITE, "Inbox", by=BY), by=BY)
    target = shares.find_target(SITE, EntryType.FILE, document_id)
    shares.share_with(SITE, target, Principal(PrincipalType.USER, str(bob().pk)), "Bob Ito", by=BY)
    made = shares.create_link(SITE, target, LinkDraft(f"{WORD} auditors", 7), by=BY)
    page = f"/shared/{made.share.share_id}/open/{made.secret}/"
    assert Client().post(page, follow=True).status_code == 200


def leave(pump: Pump, document_id: str) -> None:
    locks.check_out(SITE, document_id, 1, by=BY)
    removals.delete_document(SITE, document_id, by=BY, reason=f"{WORD} is wrong")
    removals.purge_document(SITE, document_id, by=BY)
    pump.run(idle=0.5)
    removals.finish_removal(SITE, document_id)
    pump.run(idle=0.5)


def everything() -> Iterator[tuple[str, str]]:
    """Where something is kept, and all of it: rows of both tables, objects and their versions, the database."""
    for (name, pk, sk), row in stored.rows().items():
        yield f"{name.removeprefix(settings.TABLE_NAME)} {pk} {sk}", str(row)
    s3 = aws.aws_client("s3")
    for line in stored.objects(""):
        key, _, version = line.rpartition(" ")
        try:
            body = s3.get_object(Bucket=settings.BUCKET_NAME, Key=key, VersionId=version)["Body"].read()
        except s3.exceptions.ClientError:  # the marker of a deletion
            body = b""
        yield f"s3 {key}", key + body.decode(errors="replace")
    for model in apps.get_models():
        for values in model.objects.values():
            yield f"sql {model.__name__} {values}", str(values)


def traces(*words: str) -> list[str]:
    """Where one of the words is."""
    return sorted(where for where, kept in everything() if any(word in kept for word in words))


# Every place that still names the document, its run or a word of it, as ``LEFT`` tells people; and those with words.
TOMBSTONE, ACTIVITY, MANIFEST = r" docs#\S+ removal$", r"-versions doc#\S+ activity#", r"s3 batches/"
LISTED = (
    TOMBSTONE,
    ACTIVITY,
    MANIFEST,
    r" DOC#\S+ EVENT#",  # what happened in its runs
    r" entityevent#(document|share|case)#\S+ ev#",  # the audit of the purge, its shares and its cases
    r"-versions audit# ev#\S+#(document|share|case)#",
    r" INGEST#[0-9a-f]{64} META$",  # that a file of the bucket was taken once
    r"sql SearchDocument ",
    *(RULE := (r" entityevent#rule#", r" ruleset#", r"-versions audit# ev#\S+#rule#", r"s3 rules/")),  # the site's own
)
WITH_WORDS = (MANIFEST, *RULE)


@pytest.mark.wide
def test_a_purged_document_leaves_what_is_listed_and_nothing_else(everywhere: Pump) -> None:
    pump = everywhere
    project = project_actions.create_project(
        SITE, ProjectSettings(name="Bills"), by=BY, project_id=project_actions.new_project_id()
    )
    make_rule(make_ruleset(), says(WORD), actions=(Act("NOTIFY", {"to": "a@example.org"}),))
    ids = arrive(pump, project)
    case_id = cases.create_case(SITE, CaseText("Bills of the year"), by=BY).case_id
    for document_id in ids.values():
        file_away(document_id, case_id)
    runs = [run_of(ids[way], project).workflow_id for way in ids if way != "archive"]
    for way, document_id in ids.items():
        if way == "archive":
            continue
        run = run_of(document_id, project)
        review(pump, run, Decision.REJECT if way == "bucket" else Decision.APPROVE)
        ask(pump, run)
        properties.add_tag(SITE, document_id, "customer", WORD, by=BY)
        properties.set_metadata(SITE, document_id, "shelf", WORD, by=BY)
    pump.run(idle=1)
    assert set(found(WORD)) == {ids["api"], ids["child"], ids["batch"]}
    for document_id in ids.values():
        leave(pump, document_id)
    kept = traces(WORD, WORD.lower(), *ids.values(), *runs)
    assert [where for where in kept if not any(re.match(shape, where) for shape in LISTED)] == []
    assert [shape for shape in LISTED if not any(re.match(shape, where) for where in kept)] == []
    words = traces(WORD, WORD.lower())
    assert [where for where in words if not any(re.match(shape, where) for shape in WITH_WORDS)] == []
    # In this process's memory, where all of the work was done: no text and no name. Rules are the site's own.
    assert holding(WORD) <= {"workflows.routing.pinned_rules.load_pinned_rules"}
    told = list(events())
    assert told
    assert [body for body in told if WORD in body] == []


def events() -> Iterator[str]:
    """What was said on the bus and is not fetched yet."""
    sqs = aws.aws_client("sqs")
    url = next(url for url in queue_urls() if url.endswith(bootstrap.EVENTS_QUEUE))
    while messages := sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages"):
        yield from (one["Body"] for one in messages)
