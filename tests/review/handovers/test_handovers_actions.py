"""A question is one review however often it comes, whoever is faster, and wherever a worker dies."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.conf import settings

from config import aws, clock
from config.errors import Conflict, Refused, Unavailable
from projects.audit.events import Actor
from projects.queues import actions as queue_actions
from projects.schemas import actions as attribute_definition_actions
from projects.schemas.governing import AttributeDefinition, AttributeUse, Schema
from review import queries
from review.decide import claims, decisions, drafts, escalations
from review.decide.drafts import TypedValues
from review.handovers import actions as handover_actions
from review.handovers import result
from review.identity import checkpoint_key
from review.items.reviews import Review
from review.status import ReviewStatus
from tests.aws_faults import before_each, count_calls, crash_after, crash_before, fail
from tests.factories import MARTA, ROSA, review_of
from tests.foreign import BUCKET, make_bucket, picture, put
from tests.projects.make_sites import make_site
from tests.projects.projects import make_project
from tests.review.handovers.asking import ARN, FIELDS, ask, asked, decide, hand_over, kinds
from workflows.engine.tokens import TokenHolder
from workflows.runs.items import ReviewCheckpoint
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

pytestmark = pytest.mark.usefixtures("desk")
BY = Actor("1", "Alice")


def token_of(ref) -> str | None:
    return TokenHolder.load(ref.key).taskToken


def at(seconds: float) -> str:
    return clock.iso(clock.in_seconds(seconds))


def content_of(ref):
    review = review_of(ref)
    store = DocumentFiles(ref.site, review.project_id, ref.document_id)
    return json.loads(store.read_pinned(files.result(review.workflow_id), review.result_sha256))


def test_a_question_is_a_review_in_the_queue_with_its_token_and_its_reasons() -> None:
    taken = hand_over(token="secret", reason="Above 30")
    review = review_of(taken.ref)
    assert taken.new
    assert (review.status, review.name, review.caller, review.project_name) == ("PENDING", "Loan 17", "loans", "loans")
    assert review.reasons == ["Above 30", "Amount 55 %, needs 80 %", "Purpose has no confidence"]
    assert (token_of(taken.ref), review.execution_arn) == ("secret", ARN)
    assert "taskToken" not in review.attribute_values
    assert [row.name for row in queries.list_queue("default").rows] == ["Loan 17"]
    assert kinds(taken.ref) == ["HUMAN_REVIEW_REQUIRED"]
    assert "secret" not in json.dumps(content_of(taken.ref))


def test_opening_without_pages_is_five_calls() -> None:
    hand_over()
    with count_calls() as seen:
        hand_over()
    assert seen.names() == [
        "dynamodb.GetItem", "dynamodb.UpdateItem", "s3.PutObject", "dynamodb.TransactWriteItems", "events.PutEvents",
        "dynamodb.UpdateItem",
    ]  # fmt: skip


def test_the_deadline_is_the_callers_and_ends_the_review_itself() -> None:
    entered = clock.iso(clock.now())
    ref = hand_over(entered=entered, deadline_seconds=600).ref
    review = review_of(ref)
    assert (clock.parse(review.deadline) - clock.parse(entered)).total_seconds() == 600
    assert review.deadline > review.GSI2SK  # it is escalated first
    escalations.escalate_review(ref, queries.run_of(ref, review), review)
    assert review_of(ref).GSI2SK.startswith(review.deadline)


def test_pages_are_kept_as_they_were_and_boxes_stand_on_them(settings) -> None:
    settings.INTAKE_SOURCES = {"default": ((BUCKET, "out/"),)}
    make_bucket()
    uri = put("out/a.png", picture())
    field = {"name": "total", "value": "1", "page": 0, "box": [0, 0, 0.5, 0.5]}
    away = {"name": "tax", "value": "1", "page": 7, "box": [0, 0, 0.5, 0.5]}
    ref = hand_over(pages=[uri], fields=[field, away], id="1").ref
    put("out/a.png", b"something else by now")
    content = content_of(ref)
    assert content["pages"] == [{"index": 0, "width": 60, "height": 40, "image": files.page_image(0)}]
    assert [one["page"] for one in content["fields"]] == [0, None]
    again = hand_over(pages=[uri], fields=[field, away], id="1")
    assert (again.new, review_of(ref).page_count) == (False, 1)
    assert DocumentFiles(ref.site, files.QUESTIONS, ref.document_id).exists(files.page_image(0))


def test_a_second_delivery_that_finds_its_file_gone_refuses_nothing_that_is_open(settings) -> None:
    settings.INTAKE_SOURCES = {"default": ((BUCKET, "out/"),)}
    make_bucket()
    question, entered = asked(id="1", pages=[put("out/b.png", picture())]), at(-1)

    def first_is_faster() -> None:
        assert handover_actions.take_handover(handover_actions.from_machine(question, entered=entered)).new
        aws.aws_client("s3").delete_object(Bucket=BUCKET, Key="out/b.png")

    with before_each("s3", "GetObject", first_is_faster):
        taken = handover_actions.take_handover(handover_actions.from_machine(question, entered=entered))
    assert not taken.new
    assert review_of(taken.ref).status == ReviewStatus.PENDING
    assert ReviewCheckpoint.load(checkpoint_key(taken.ref)).status == "pending_review"


def test_a_classification_says_what_is_asked() -> None:
    for key, kind in (("vendor", "text"), ("due", "date")):
        attribute_definition_actions.create_definition("default", AttributeDefinition(key, key.title(), kind), by=BY)
    uses = (AttributeUse("vendor", required=True), AttributeUse("due"))
    attribute_definition_actions.create_classification("default", Schema("Bill", uses), by=BY, classification_id="bill")
    content = content_of(hand_over(schema="bill", fields=[{"name": "due", "value": "31/03/2024"}, FIELDS[0]]).ref)
    fields = {one["name"]: one for one in content["fields"]}
    assert list(fields) == ["vendor", "due", "applicant"]
    assert (fields["due"]["value"], fields["due"]["type"], fields["vendor"]["required"]) == ("2024-03-31", "date", True)


def test_the_queue_is_the_named_one_or_the_projects() -> None:
    queue_actions.create_queue("default", "Loans", [], by=BY, queue_id="loans-q")
    project = make_project(review_queue="loans-q")
    assert review_of(hand_over(queue="loans-q").ref).queue == "loans-q"
    review = review_of(hand_over(project=project.id).ref)
    assert (review.queue, review.project_name) == ("loans-q", project.settings.name)


def test_unchecked_fields_may_be_approved_where_the_questions_project_allows_it() -> None:
    project = make_project(unseen_allowed=True)
    assert review_of(hand_over(project=project.id).ref).unseen_allowed is True
    assert review_of(hand_over().ref).unseen_allowed is None


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"site": "nowhere"}, "does not exist or is closed"),
        ({"site": "No Site#"}, "does not exist or is closed"),
        ({"queue": "none"}, "No such queue"),
        ({"queue": "a#b"}, "No such queue"),
        ({"project": "none"}, "No such project"),
        ({"schema": "none"}, "Document type"),
        ({"fields": [{"name": "a", "type": "amount", "allowed": ["many"]}]}, "allowed value is not a valid amount"),
        ({"pages": [f"s3://{settings.BUCKET_NAME}/x.png"]}, "are not allowed"),
    ],
)
def test_what_is_unknown_is_refused_and_leaves_nothing(changes, words: str) -> None:
    with pytest.raises(Refused, match=words):
        hand_over(id="1", **changes)
    assert queries.list_queue("default").rows == []
    assert hand_over(id="1").new  # mended, under the same id


def test_the_same_message_twice_is_one_review() -> None:
    question, entered = asked(), clock.iso(clock.now())
    first, again = (
        handover_actions.take_handover(handover_actions.from_machine(question, entered=entered)) for _ in range(2)
    )
    assert first.ref == again.ref
    assert (first.new, again.new, again.decided) == (True, False, "")
    assert kinds(first.ref) == ["HUMAN_REVIEW_REQUIRED"]


def test_eight_deliveries_at_once_open_one_review() -> None:
    question, entered = asked(id="1"), clock.iso(clock.now())
    with ThreadPoolExecutor(8) as pool:
        found = list(
            pool.map(
                lambda _: handover_actions.take_handover(handover_actions.from_machine(question, entered=entered)),
                range(8),
            )
        )
    assert sum(one.new for one in found) == 1
    assert kinds(found[0].ref).count("HUMAN_REVIEW_REQUIRED") == 1
    assert content_of(found[0].ref)["fields"]


def test_an_id_stands_for_one_question() -> None:
    first = hand_over(id="1")
    with pytest.raises(Refused, match="with different content"):
        hand_over(id="1", title="Loan 18")
    assert review_of(first.ref).name == "Loan 17"
    assert hand_over(id="1", execution_arn=ARN.replace("loans", "others")).ref != first.ref  # another machine's ids


def test_of_two_questions_under_one_id_at_once_one_is_asked_whole() -> None:
    def one(number: int):
        try:
            return hand_over(id="1", title=f"Loan {number}")
        except Refused:
            return None

    with ThreadPoolExecutor(8) as pool:
        found = [taken for taken in pool.map(one, range(8)) if taken]
    assert len(found) == 1
    assert content_of(found[0].ref)["version"] == 1  # the hash that the review has is the file's


@pytest.mark.parametrize(
    "fault",
    [
        lambda: crash_after("dynamodb", "UpdateItem"),  # reserved
        lambda: crash_after("s3", "PutObject"),
        lambda: crash_before("dynamodb", "TransactWriteItems"),
        lambda: crash_after("dynamodb", "TransactWriteItems"),  # opened, and its event not sent
    ],
)
def test_a_worker_that_dies_while_opening_is_followed_by_one_that_finishes(fault) -> None:
    question, entered = asked(id="1"), clock.iso(clock.now())
    with fault():
        handover_actions.take_handover(handover_actions.from_machine(question, entered=entered))
    ref = handover_actions.take_handover(handover_actions.from_machine(question, entered=entered)).ref
    assert (review_of(ref).status, token_of(ref)) == (ReviewStatus.PENDING, question["token"])
    assert kinds(ref) == ["HUMAN_REVIEW_REQUIRED"]


def test_a_table_that_refuses_the_event_opens_nothing() -> None:
    with fail("dynamodb", "TransactWriteItems", error_code="InternalServerError", times=9), pytest.raises(Unavailable):
        hand_over(id="1")
    assert queries.list_queue("default").rows == []
    assert hand_over(id="1").new


def test_a_restarted_callers_newer_token_replaces_the_old_and_nothing_else() -> None:
    ref = hand_over(id="1", token="old", entered=at(-2)).ref
    claims.claim_review(ref, queries.run_of(ref, review_of(ref)), by=ROSA)
    drafts.save_draft(ref, TypedValues({"amount": "12.34"}), by=ROSA, version=2, begun=False)
    before = review_of(ref)
    hand_over(id="1", token="new", entered=at(-1), execution_arn=f"{ARN}2")
    hand_over(id="1", token="oldest", entered=at(-60))
    after, draft = queries.review_and_draft(ref, ROSA.id)
    assert (token_of(ref), after.execution_arn) == ("new", f"{ARN}2")
    assert (after.status, after.version, after.deadline) == ("CLAIMED", before.version, before.deadline)
    assert draft is not None
    assert draft.values.as_dict() == {"amount": "12.34"}


def test_a_newer_token_of_a_decided_question_asks_for_the_answer() -> None:
    ref = hand_over(id="1", token="old", entered=at(-2)).ref
    decision_id = decide(ref)
    newer = at(-1)
    again = hand_over(id="1", token="new", entered=newer)
    assert again.decided == decision_id
    assert review_of(ref).status == ReviewStatus.DECIDED
    assert hand_over(id="1", token="new", entered=newer).decided == ""  # the same message again


def test_two_people_race_for_a_question_as_for_a_document() -> None:
    ref = hand_over().ref
    run = queries.run_of(ref, review_of(ref))

    def won(person) -> bool:
        try:
            claims.claim_review(ref, run, by=person)
        except Conflict:
            return False
        return True

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(won, (ROSA, MARTA))) == [False, True]


def test_two_sites_with_the_same_id_have_a_review_each() -> None:
    make_site("acme")
    ours, theirs = hand_over(id="1"), hand_over(id="1", site="acme", title="Theirs")
    assert theirs.new
    assert ours.ref.review_id != theirs.ref.review_id
    assert [row.name for row in queries.list_queue("default").rows] == ["Loan 17"]
    assert [row.name for row in queries.list_queue("acme").rows] == ["Theirs"]
    assert Review.load(theirs.ref.key).PK.startswith("acme/")


def test_programs_ids_are_their_own() -> None:
    assert ask("1").ref != ask("1", by="key:b").ref
    assert ask("1").ref == ask("1").ref


def test_the_answer_names_every_field_as_it_holds() -> None:
    ref = ask("1").ref
    content = content_of(ref)
    approved = result.answer_fields(content, {"amount": "12.34"}, approved=True)
    assert {"name": "amount", "value": "12.34", "corrected": True} in approved
    assert {"name": "purpose", "value": "Van", "corrected": False} in approved
    assert not any(one["corrected"] for one in result.answer_fields(content, {"amount": "12.34"}, approved=False))


def test_an_undone_decision_waits_until_the_callers_deadline_again() -> None:
    ref = hand_over().ref
    escalations.escalate_review(ref, queries.run_of(ref, review_of(ref)), review_of(ref))
    decision_id = decide(ref)
    decisions.undo_decision(ref, queries.run_of(ref, review_of(ref)), decision_id=decision_id, by=ROSA)
    review = review_of(ref)
    assert (review.status, review.GSI2SK.split("#")[0]) == ("CLAIMED", review.deadline)


def test_the_id_of_a_question_that_is_gone_is_free_though_its_checkpoint_is_still_there() -> None:
    ref = ask().ref
    review_of(ref).delete()
    with pytest.raises(Refused, match="different content"):
        ask(title="Loan 18")
    over = [ReviewCheckpoint.TimeToLive.set(int(clock.in_seconds(-1).timestamp()))]
    ReviewCheckpoint.change(checkpoint_key(ref), over, ReviewCheckpoint.PK.exists())
    assert ask(title="Loan 18").new
    assert ReviewCheckpoint.load(checkpoint_key(ref)).TimeToLive is None


def test_its_files_are_of_the_kind_that_goes() -> None:
    taken = hand_over()
    key = DocumentFiles("default", files.QUESTIONS, taken.ref.document_id).root + files.result(taken.ref.document_id)
    tags = aws.aws_client("s3").get_object_tagging(Bucket=settings.BUCKET_NAME, Key=key)["TagSet"]
    assert tags == [{"Key": "kind", "Value": "question"}]
