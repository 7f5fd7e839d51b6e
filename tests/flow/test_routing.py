"""A document under rules and mappings, from the upload to the last thing that follows, through the machine."""

import json

import pytest
from django.conf import settings
from django.core import mail

from projects.documents import queries as document_queries
from projects.schemas import actions as attribute_definition_actions
from projects.schemas.governing import AttributeDefinition
from review.decide import claims, decisions
from review.decide.tasks import enqueue_redeem
from review.status import Decision
from tests.factories import PROJECT, ROSA, SITE, ref_of, verdict
from tests.pump import Pump
from tests.workflows.follow_ups import statuses
from tests.workflows.make_rules import ALICE, arrived, is_pdf, make_mapping, make_rule, make_ruleset, says
from workflows.definitions.rules import Act, Condition, Operator, Source, When
from workflows.publish import queries as publish_queries
from workflows.runs import queries
from workflows.runs.items import FollowUpStatus
from workflows.storage import files
from workflows.storage.objects import DocumentFiles


@pytest.mark.wide
@pytest.mark.parametrize("reviewed", [False, True])
def test_from_the_upload_to_the_last_thing_that_follows(pump: Pump, reviewed: bool) -> None:
    total = AttributeDefinition("total", "Total", "amount")
    attribute_definition_actions.create_definition(SITE, total, by=ALICE)
    make_mapping(("total", "total"))
    share = 1.0 if reviewed else 0.0
    make_rule(make_ruleset("At the upload"), is_pdf(), when=When.UPLOAD, threshold=share, actions=(Act("OCR"),))
    large = Condition(Source.FIELD, Operator.GE, "500", "total")
    wanted = (Act("NOTIFY", {"to": "a@example.org"}), Act("PUBLISH"))
    make_rule(make_ruleset("Later", priority=20), says("invoice"), large, queue="q1", actions=wanted)
    run = arrived(project=PROJECT)
    if reviewed:
        pump.run(lambda: pump.ran("open_review") > 0)
        ref = ref_of(run)
        claims.claim_review(ref, run, by=ROSA)
        chosen = verdict(ref, Decision.APPROVE, total="999.90")
        decisions.decide_review(ref, run, chosen, by=ROSA)
        enqueue_redeem(ref, chosen.decision_id, delay=settings.REVIEW_UNDO_SECONDS)
    pump.run(
        lambda: (found := publish_queries.follow_up(run)) is not None and found.status == FollowUpStatus.DONE,
        seconds=60,
    )
    assert statuses(run) == ["COMPLETE"] * 3
    assert [one.kind for one in publish_queries.actions_of(run)] == ["OCR", "NOTIFY", "PUBLISH"]
    assert len(mail.outbox) == 1
    attributes = document_queries.list_attributes(SITE, run.document_id)
    assert [str(row.value) for row in attributes] == ["999.9" if reviewed else "510.24"]
    text = DocumentFiles(SITE, run.project_id, run.document_id).read(files.text(run.workflow_id)).decode()
    assert "Alder & Quill" in text
    kinds = [row.type for row in queries.lineage(SITE, run.document_id).rows]
    assert kinds[-1] == "FOLLOW_UP_DONE"
    assert json.dumps(kinds).count("ACTION_COMPLETED") == 3


@pytest.mark.wide
def test_a_rejected_document_is_followed_by_nothing(pump: Pump) -> None:
    make_rule(make_ruleset(), when=When.UPLOAD, threshold=1.0, actions=(Act("NOTIFY", {"to": "a@example.org"}),))
    run = arrived(project=PROJECT)
    pump.run(lambda: pump.ran("open_review") > 0)
    ref = ref_of(run)
    claims.claim_review(ref, run, by=ROSA)
    chosen = verdict(ref, Decision.REJECT)
    decisions.decide_review(ref, run, chosen, by=ROSA)
    enqueue_redeem(ref, chosen.decision_id, delay=settings.REVIEW_UNDO_SECONDS)
    pump.run(lambda: queries.execution(run).outcome == "rejected")
    assert (publish_queries.follow_up(run), statuses(run), mail.outbox) == (None, [], [])
