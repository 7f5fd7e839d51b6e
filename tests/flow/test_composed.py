"""A definition composed on the page, published and activated there, then run: no deployment, whichever engine."""

import re
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from config.errors import Conflict
from projects.audit.events import Actor
from projects.queues.actions import archive_queue, create_queue
from review.decide import claims
from review.identity import Person
from review.status import Decision
from tests.factories import MARTA, ROSA, SITE, review_of
from tests.flow.approvals import asked, begin, decide, ended, moves
from tests.html import one_line
from tests.people import alice, signed_in
from tests.pump import Pump
from workflows.definitions import versions
from workflows.definitions.blueprint import Definition
from workflows.runs import queries

pytestmark = pytest.mark.django_db
BY = Actor("1", "Alice Novak")
HEAD = Person("9", "Hedda Head")
PLAN = "/settings/definitions/invoice-approval/plan/"
FORM = {
    "description": "Two of finance above 1,000; above 10,000 also the head",
    "graph": "on",
    "tell_rejected": "on",
    "blocks-TOTAL_FORMS": "2",
    "blocks-INITIAL_FORMS": "0",
    "blocks-0-kind": "approval",
    "blocks-0-label": "Finance",
    "blocks-0-key_1": "total",
    "blocks-0-operator_1": "GT",
    "blocks-0-value_1": "1,000",
    "blocks-0-approvers": "2",
    "blocks-0-queue": "Finance",
    "blocks-1-kind": "approval",
    "blocks-1-label": "Head of finance",
    "blocks-1-key_1": "total",
    "blocks-1-operator_1": "GT",
    "blocks-1-value_1": "10000",
    "blocks-1-queue": "Heads",
}


@pytest.fixture
def admin(pump: Pump) -> Client:
    for number, (name, groups) in enumerate((("Finance", ["reviewers"]), ("Heads", ["heads"]))):
        create_queue(SITE, name, groups, by=BY, queue_id=f"01K000000000000000000000Q{number}")
    return signed_in(alice())


def compose(admin: Client, pump: Pump) -> Definition:
    """As an admin does it: name, plan, publish, wait for the worker, activate."""
    made = admin.post("/settings/definitions/new/", {"name": "invoice-approval", "description": "x"})
    assert made["Location"] == PLAN
    shown = re.search(r'name="version" value="(\d+)"', one_line(admin.get(PLAN).content))
    assert shown
    published = admin.post(PLAN, FORM | {"version": shown[1], "order": "publish"})
    assert published.status_code == 302, one_line(published.content)
    where = published["Location"]
    assert where == "/settings/definitions/invoice-approval.v1/"
    assert "Being deployed" in one_line(admin.get(where).content)
    refused = admin.post(f"{where}activate/", {"instead_of": "0"})
    assert refused.status_code == 422
    pump.run(lambda: pump.ran("deploy_definition") == 1)
    text = one_line(admin.post(f"{where}activate/", {"instead_of": "0"}, follow=True).content)
    assert "New runs of invoice-approval use version 1" in text
    return versions.active_definition("invoice-approval")


@pytest.mark.wide
@pytest.mark.every_engine
def test_two_of_finance_above_a_thousand_and_the_head_above_ten_thousand(
    pump: Pump, admin: Client, tmp_path: Path
) -> None:
    definition = compose(admin, pump)
    run = begin(tmp_path, "12000.00", definition=definition)
    first, second, head = (one.name for one in definition.steps if one.queue)
    ref = asked(run, pump, first)
    assert review_of(ref).reasons == ["Finance: Field total is greater than “1000”"]
    decide(run, ref, Decision.APPROVE, by=ROSA)
    again = asked(run, pump, second)
    with pytest.raises(Conflict):
        claims.claim_review(again, run, by=ROSA)
    decide(run, again, Decision.APPROVE, by=MARTA)
    last = asked(run, pump, head)
    assert review_of(last).queue != review_of(again).queue
    with pytest.raises(Conflict):
        claims.claim_review(last, run, by=MARTA)
    decide(run, last, Decision.APPROVE, by=HEAD)
    pump.run(lambda: ended(run))
    assert queries.execution(run).outcome == "published"
    assert "document_summarizer" not in dict(moves(run))
    page = one_line(admin.get(f"/workflows/{run.document_id}/{run.workflow_id}/").content)
    assert re.search("Finance.*Finance, again.*Head of finance", page)


@pytest.mark.wide
def test_a_small_total_asks_nobody_and_a_small_plan_can_be_tried(pump: Pump, admin: Client, tmp_path: Path) -> None:
    run = begin(tmp_path, "99.00", definition=compose(admin, pump))
    pump.run(lambda: ended(run))
    assert queries.execution(run).outcome == "published"
    tried = one_line(admin.post(PLAN, FORM | {"order": "try", "document": run.document_id}).content)
    assert "Field total is at most “1000”" in tried
    assert "Asks for approval in Finance" not in tried
    tried = one_line(
        admin.post(PLAN, FORM | {"order": "try", "document": run.document_id, "blocks-0-value_1": "50"}).content
    )
    assert "Asks for approval in Finance." in tried
    assert "Document not found" in one_line(admin.post(PLAN, FORM | {"order": "try", "document": "none"}).content)


def test_a_queue_that_the_site_lacks_fails_the_run_instead_of_asking_others(
    pump: Pump, admin: Client, tmp_path: Path
) -> None:
    definition = compose(admin, pump)
    archive_queue(SITE, "01K000000000000000000000Q0", by=BY)
    run = begin(tmp_path, "5000.00", definition=definition)
    pump.run(lambda: ended(run))
    board: Any = queries.board(run.site, run.workflow_id)
    assert board.outcome == "failed"
    assert "no active queue named Finance" in str(board.data.as_dict())
