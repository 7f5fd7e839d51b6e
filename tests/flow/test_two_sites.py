"""Two tenants with the same ids: whatever one does or has, the other sees none of it."""

import json
import logging
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from config import aws, clock
from config.deploy import bootstrap
from config.due import sweeper
from config.errors import NotFound
from config.logs import JsonFormatter
from config.table import site_of
from projects.settings import actions as project_actions
from projects.settings import queries as project_queries
from projects.settings.values import ProjectSettings
from projects.sites import actions as api_key_actions
from projects.sites import api_keys
from projects.sites.permissions import EVERYTHING, Permission
from review import queries as review_queries
from review.decide import claims, decisions, opening, redemption, waiting
from review.identity import ReviewRef
from review.status import ReviewStatus
from tests.factories import ROSA, sample_files, verdict
from tests.flow.test_url_roles import ON_NO_TENANT, TABLE
from tests.flow.urls import pages, world
from tests.people import alice, signed_in
from tests.projects.make_sites import BY, grant, make_site
from tests.pump import Pump
from workflows.runs.items import Run
from workflows.storage import files

pytestmark = pytest.mark.django_db
OURS, THEIRS = "Alphaword", "Bravoword"
ROOTS = {"default": "", "acme": "/s/acme"}
WORDS = {"default": OURS, "acme": THEIRS}
Known = dict[str, Any]


@pytest.fixture
def known(pump: Pump, monkeypatch: pytest.MonkeyPatch) -> dict[str, Known]:
    """The same project, document, run, review and queue, by the same ids, on the main site and on a tenant's."""
    make_site("acme", "Tenant")
    grant("acme", "admins", *EVERYTHING)
    for module in (opening, redemption, waiting):  # else it would tell what the result is
        monkeypatch.setattr(module, "review_id", lambda *_: "0" * 26)
    made, real, run_id = {}, clock.new_ulid, clock.new_ulid()
    for site, word in WORDS.items():
        ids = iter([run_id])  # the first that is asked for is the run's
        monkeypatch.setattr(clock, "new_ulid", lambda ids=ids: next(ids, None) or real())
        made[site] = world(site, word)
    assert made["default"] == made["acme"]
    return made


def ref(site: str, known: dict[str, Known]) -> ReviewRef:
    return ReviewRef(site, known[site]["document_id"], known[site]["review_id"])


def run(site: str, known: dict[str, Known]) -> Run:
    return Run(site, known[site]["project_id"], known[site]["document_id"], known[site]["workflow_id"])


@pytest.mark.wide
def test_no_page_of_one_shows_a_word_of_the_other(known: dict[str, Known]) -> None:
    browser = signed_in(alice())
    own = dict.fromkeys(ROOTS, 0)
    for page in pages():
        if "GET" not in TABLE[page.name] or page.name.startswith(("admin", "api", "logout", *ON_NO_TENANT)):
            continue
        for site, root in ROOTS.items():
            answer = browser.get(f"{root}{page.path(known[site])}")
            body = b"".join(answer) if answer.streaming else answer.content
            other = WORDS["acme" if site == "default" else "default"]
            assert other.encode() not in body, f"{page.route} on {site}"
            own[site] += WORDS[site].encode() in body
    assert own["default"] == own["acme"] > 12  # and the pages do show what is theirs


def test_no_answer_of_the_api_to_one_holds_a_word_of_the_other(known: dict[str, Known]) -> None:
    paths = ["projects", "projects/{project_id}/documents", "documents/{document_id}/runs/{run_id}"]
    paths += [f"{paths[-1]}/result", "documents/{document_id}", "documents/{document_id}/activity"]
    paths += ["documents/{document_id}/versions", "documents/{document_id}/versions/current/download"]
    paths += ["locales", "locales/de/resourceItems", "locales/de/resourceItems/INTERFACE%23vendor"]
    for site, word in WORDS.items():
        _, key = api_keys.create_api_key(site, "Reader", [Permission.READ], by=BY)
        client = Client(headers={"Authorization": f"Bearer {key}"})
        found = "".join(client.get(f"/api/v1/{path.format(**known[site])}").content.decode() for path in paths)
        assert found.count(word) >= 4
        assert not [other for other in WORDS.values() if other != word and other in found]


def test_no_row_of_one_lies_in_a_partition_of_the_other(known: dict[str, Known]) -> None:
    for table in (settings.TABLE_NAME, settings.VERSIONS_TABLE_NAME):
        items = aws.dynamodb_client().scan(TableName=table)["Items"]
        assert items
        for item in items:
            text = json.dumps(item)
            for name in ("PK", "GSI1PK", "GSI2PK"):
                key = item.get(name, {"S": ""})["S"]
                if (
                    not key
                    or key.startswith(("DUE#", "sites", "sitegroups", "apikeys#", "controlpolicy#"))
                    or "/apikeys#" in key
                ):
                    continue  # found before any site is known
                assert WORDS["acme" if site_of(key) == "default" else "default"] not in text, key


def test_no_file_of_one_lies_among_those_of_the_other(known: dict[str, Known]) -> None:
    s3 = aws.aws_client("s3")
    keys = [entry["Key"] for entry in s3.list_objects_v2(Bucket=settings.BUCKET_NAME)["Contents"]]
    mine = [key for key in keys if known["acme"]["document_id"] in key]
    assert {key.startswith("acme/") for key in mine} == {True, False}
    for key in mine:
        body = s3.get_object(Bucket=settings.BUCKET_NAME, Key=key)["Body"].read()
        assert (OURS if key.startswith("acme/") else THEIRS).encode() not in body, key


def test_a_site_can_never_be_named_like_a_folder_of_the_main_sites_files(known: dict[str, Known]) -> None:
    s3 = aws.aws_client("s3")
    found = s3.list_objects_v2(Bucket=settings.BUCKET_NAME)["Contents"]
    folders = {entry["Key"].split("/")[0] for entry in found} - {"acme"}
    # Made later than anything here, or by others.
    made = (
        files.calibration("p", "0"), files.pinned_rules("0"), files.manifest("b"), files.INCOMING, files.BULK,
        files.testset("p", "t", "0"), files.testset_upload("p", "0"), files.experiment_plan("p", "e", "0"),
        files.extractor("p", "0"),
    )  # fmt: skip
    folders |= {name.split("/")[0] for name in made}
    assert folders <= api_key_actions.RESERVED


def test_a_claim_a_decision_and_an_end_on_one_leave_the_other_as_it_was(known: dict[str, Known]) -> None:
    ours, theirs = ref("default", known), ref("acme", known)
    claims.claim_review(theirs, run("acme", known), by=ROSA)
    assert review_queries.get_review(ours).status == ReviewStatus.PENDING
    decisions.decide_review(theirs, run("acme", known), verdict(theirs), by=ROSA)
    assert review_queries.get_review(theirs).status == ReviewStatus.DECIDED
    assert review_queries.get_review(ours).status == ReviewStatus.PENDING


def test_what_one_may_do_is_no_ticket_for_the_other(known: dict[str, Known]) -> None:
    browser = signed_in(alice())
    at = "/review/{document_id}/{review_id}/".format(**known["default"])
    for root in ROOTS.values():
        browser.post(f"{root}{at}claim/")
    ticket = browser.get(f"{at}").context["ticket"]
    assert browser.post(f"/s/acme{at}decide/", {"ticket": ticket, "decision": "approve"}).status_code == 409
    assert {review_queries.get_review(ref(site, known)).status for site in ROOTS} == {ReviewStatus.CLAIMED}


def test_the_place_in_a_list_of_one_is_no_place_in_the_others(pump: Pump) -> None:
    make_site("acme", "Tenant")
    for site in ROOTS:
        for _ in range(settings.PAGE_SIZE + 1):
            wanted = ProjectSettings(name="Many")
            project_actions.create_project(site, wanted, by=BY, project_id=project_actions.new_project_id())
    place = project_queries.list_projects("default")[1]
    assert project_queries.list_projects("default", place)[0]
    with pytest.raises(NotFound):
        project_queries.list_projects("acme", place)


def test_the_sweeper_ends_what_is_due_on_its_own_site(known: dict[str, Known], monkeypatch: pytest.MonkeyPatch) -> None:
    later = clock.in_seconds(30 * 86_400)
    monkeypatch.setattr(clock, "now", lambda: later)
    rows = {(row.site, row.kind): row for row in sweeper.due_rows(0)}
    assert {site for site, kind in rows if kind == "review"} == {"default", "acme"}
    assert all(site_of(row.key.pk) == row.site for row in rows.values())
    sweeper.repair_due(rows["acme", "review"])
    assert review_queries.get_review(ref("acme", known)).status == ReviewStatus.EXPIRED
    assert review_queries.get_review(ref("default", known)).status == ReviewStatus.PENDING


def test_each_has_an_execution_of_its_own(known: dict[str, Known]) -> None:
    sfn, run_id = aws.aws_client("stepfunctions"), known["acme"]["run_id"]
    inputs = {}
    for machine in sfn.list_state_machines()["stateMachines"]:
        arn = machine["stateMachineArn"]
        for one in sfn.list_executions(stateMachineArn=arn, statusFilter="RUNNING")["executions"]:
            found = sfn.describe_execution(executionArn=one["executionArn"])
            inputs[one["name"]] = json.loads(found["input"])["site"]
    assert inputs == {f"{run_id}-1": "default", f"acme-{run_id}-1": "acme"}


def test_what_goes_on_the_bus_says_whose_it_is(known: dict[str, Known]) -> None:
    repair_later = clock.in_seconds(3600)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(clock, "now", lambda: repair_later)
        for row in sweeper.due_rows(0):
            if row.kind == "event":
                sweeper.repair_due(row)
    sqs = aws.aws_client("sqs")
    url = sqs.get_queue_url(QueueName=bootstrap.EVENTS_QUEUE)["QueueUrl"]
    found = sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10, WaitTimeSeconds=2).get("Messages", [])
    details = [json.loads(message["Body"])["detail"] for message in found]
    assert {one["siteId"] for one in details} == {"default", "acme"}
    assert len({one["id"] for one in details}) == len(details)  # whoever compares ids never takes one for the other
    for one in details:
        assert WORDS["acme" if one["siteId"] == "default" else "default"] not in json.dumps(one)


@pytest.fixture
def lines() -> Iterator[list[dict[str, Any]]]:
    """What is logged, as it is written."""
    found: list[dict[str, Any]] = []

    class Keep(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            found.append(json.loads(self.format(record)))

    handler, root = Keep(), logging.getLogger()
    handler.setFormatter(JsonFormatter())
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    yield found
    root.setLevel(level)
    root.removeHandler(handler)


@pytest.mark.wide
def test_every_line_of_the_log_says_whose_it_is(pump: Pump, lines: list[dict[str, Any]]) -> None:
    make_site("acme", "Tenant")
    _, key = api_keys.create_api_key("acme", "Scanner", [Permission.WRITE], by=BY)
    project = project_actions.create_project(
        "acme", ProjectSettings(name="Theirs"), by=BY, project_id=project_actions.new_project_id()
    )
    client = Client(headers={"Authorization": f"Bearer {key}"})
    with sample_files()[0].open("rb") as file:
        made = client.post(f"/api/v1/projects/{project.id}/documents", {"file": file}).json()
    pump.run(lambda: pump.ran("run_step") >= 4)
    client.get(f"/api/v1/documents/{uuid.uuid4()}/runs/none")
    ours = [line for line in lines if line["logger"].startswith(("projects", "workflows", "review"))]
    assert {"run created", "step begins"} <= {line["message"] for line in ours}
    assert {line.get("site") for line in ours} == {"acme"}
    assert made["run_id"] in {line.get("run") for line in ours}
    grant("acme", "admins", *EVERYTHING)
    for site, root in ROOTS.items():
        lines.clear()
        signed_in(alice()).get(f"{root}/projects/none/")
        assert [line["site"] for line in lines if line["logger"] == "django.request"] == [site]
