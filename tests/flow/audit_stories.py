"""Every action that records an event, in stories that bring about what each needs; a step is tried, then done."""

import datetime as dt
import uuid
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from config import clock
from config.transaction import EXISTS
from projects.documents.actions import activity, classification, hold, locks, properties
from projects.documents.queries import document_rows, get_document
from projects.schemas import actions as schemas_actions
from projects.schemas.governing import AttributeDefinition, Schema
from review import queries as review_queries
from review.decide import assignments, claims, decisions, opening, postponements, questions, quorum, redemption
from review.decide.claims import DecidedReview
from review.decide.opening import Pause
from review.decide.questions import Question
from review.decide.redemption import Application
from review.identity import Person
from review.messages import actions as message_actions
from review.notifications import actions as notification_actions
from review.quality import actions as checks
from review.quality.adjudication import Choice, Outcome, adjudicate
from review.status import Decision
from tests.factories import MARTA, PROJECT, PROJECT_ID, REVIEW, ROSA, SITE, start_run, verdict
from tests.flow.keeping_stories import (
    case_story,
    entity_story,
    execution_story,
    folder_story,
    import_story,
    operation_story,
    policy_story,
    share_story,
    sync_story,
)
from tests.flow.question_stories import question_story
from tests.flow.setting_stories import (
    BY,
    Step,
    Story,
    account_story,
    calibration_story,
    definition_story,
    experiment_story,
    export_story,
    extractor_story,
    incoming_story,
    label_story,
    model_story,
    project_story,
    prompt_story,
    routing_story,
    schema_story,
    site_story,
)
from tests.review.quality.checks import check_of, decide, end_run, loaded
from tests.review.reviews import open_review
from tests.workflows.follow_ups import NOTIFY, QUEUE, action, now_due, published
from tests.workflows.intake.test_new_version_actions import added, ended_run, original_of
from tests.workflows.repeated import published_run, run_to_repeat
from workflows.batches import actions
from workflows.batches import queries as batch_queries
from workflows.batches.actions import BatchDraft
from workflows.batches.items import Batch, BatchStatus
from workflows.definitions.blueprint import DOCUMENT_ANALYSIS
from workflows.documents.actions import removals, reruns
from workflows.engine import actions as engine_actions
from workflows.engine import interventions
from workflows.intake.actions import documents, unpack
from workflows.publish import actions as publish_actions
from workflows.runs import queries, run_settings
from workflows.runs.actions import advance
from workflows.runs.actions.advance import Advance
from workflows.runs.items import Execution, FollowUpStatus, ResumeWay, Run
from workflows.runs.new_run import NewRun, Original


def batch_story() -> Iterator[Step]:
    one, other = clock.new_ulid(), clock.new_ulid()
    draft = BatchDraft("November", PROJECT_ID, "Bills", "bulk/default/keys.txt", "list", slots=2, percent=20)

    def now(batch_id: str = one) -> Batch:
        return batch_queries.get_batch(SITE, batch_id)

    yield actions.create_batch, lambda: actions.create_batch(SITE, draft, by=BY, batch_id=one)
    yield actions.change_slots, lambda: actions.change_slots(SITE, now(), 3, by=BY)
    yield (
        actions.record_manifest,
        lambda: actions.record_manifest(SITE, now(), total=2, bad=1, planned=1, parts=1, allowed=0),
    )
    yield actions.begin_lines, lambda: actions.begin_lines(SITE, now())
    yield actions.finish_batch, lambda: actions.finish_batch(SITE, now(), BatchStatus.FINISHED)
    Batch.change(now().key, [Batch.failed.set(1)], EXISTS)
    yield actions.retry_batch, lambda: actions.retry_batch(SITE, now(), by=BY)
    yield actions.cancel_batch, lambda: actions.cancel_batch(SITE, now(), by=BY)
    yield actions.go_on, lambda: actions.go_on(SITE, now(), by=BY)
    actions.create_batch(SITE, draft, by=BY, batch_id=other)
    yield actions.refuse_batch, lambda: actions.refuse_batch(SITE, now(other), "No line.")
    deadly = clock.new_ulid()
    actions.create_batch(SITE, draft, by=BY, batch_id=deadly)
    yield actions.give_up, lambda: actions.give_up(SITE, now(deadly), owner="me")


def _begin(begin: Callable[..., Any], document_id: str, original: Original, **more: Any) -> Any:
    return begin(
        site=SITE, by=BY, project_id=PROJECT_ID, project=PROJECT, document_id=document_id, original=original, **more
    )


def _new_run(document_id: str, original: Original) -> NewRun:
    run = Run.new(SITE, PROJECT_ID, document_id)
    return NewRun(run, project=PROJECT, pinned=run_settings.freeze(PROJECT), original=original, by=BY)


def document_story() -> Iterator[Step]:
    schemas_actions.create_definition(SITE, AttributeDefinition("vendor", "Vendor", "text"), by=BY)
    new_id = str(uuid.uuid4())
    original = Original("a.pdf", "application/pdf", 10, "projects/p/a.pdf", 1)
    yield documents.start, lambda: documents.start(_new_run(new_id, original))
    run = start_run()
    one = run.document_id
    yield properties.set_attribute, lambda: properties.set_attribute(SITE, one, "vendor", ["a"], by=BY)
    yield properties.remove_attribute, lambda: properties.remove_attribute(SITE, one, "vendor", by=BY)
    yield properties.add_tag, lambda: properties.add_tag(SITE, one, "shelf", "1", by=BY)
    yield properties.change_tag, lambda: properties.change_tag(SITE, one, "shelf", "1", "2", by=BY)
    yield properties.remove_tag, lambda: properties.remove_tag(SITE, one, "shelf", "2", by=BY)
    yield properties.set_metadata, lambda: properties.set_metadata(SITE, one, "from", "Rosa", by=BY)
    kind = schemas_actions.new_classification_id()
    schemas_actions.create_classification(SITE, Schema("Bill"), by=BY, classification_id=kind)
    classify = classification.classify_document
    yield classify, lambda: classify(SITE, one, kind, by=BY)
    yield hold.place_hold, lambda: hold.place_hold(SITE, one, "Claim 17", by=BY)
    since = str(get_document(SITE, one).hold_at)
    yield hold.release_hold, lambda: hold.release_hold(SITE, one, since=since, by=BY)
    yield locks.check_out, lambda: locks.check_out(SITE, one, 8, by=BY)
    locked = str(get_document(SITE, one).lock_at)
    yield locks.check_in, lambda: locks.check_in(SITE, one, since=locked, by=BY)
    yield activity.record_reveal, lambda: activity.record_reveal(SITE, one, ["IBAN"], by=BY)
    execution = queries.execution(run)
    failed = {"attempt": 1, "error": "E", "sentence": "Not readable."}
    yield advance.fail, lambda: advance.fail(run, DOCUMENT_ANALYSIS, execution, **failed)  # type: ignore[arg-type]
    newer = original_of(run)
    yield documents.add_content, lambda: added(run, newer)


def removal_story() -> Iterator[Step]:
    one = ended_run().document_id
    for back in (removals.restore_document, removals.purge_document):
        yield removals.delete_document, lambda: removals.delete_document(SITE, one, by=BY, reason="Twice")
        removals.finish_removal(SITE, one)
        yield back, lambda back=back: back(SITE, one, by=BY)
        removals.finish_removal(SITE, one)


def unpacking_story() -> Iterator[Step]:
    one = str(uuid.uuid4())
    box = Original("a.zip", "application/zip", 10, "projects/p/a.zip", None)
    yield unpack.begin, lambda: _begin(unpack.begin, one, box)
    record = document_rows(SITE, one).unpacking
    assert record
    yield unpack.finish, lambda: unpack.finish(SITE, record, taken=0, refused=[("x", "no")], message="")
    failed = document_rows(SITE, one).unpacking
    assert failed
    yield unpack.again, lambda: unpack.again(SITE, failed, by=BY)
    other = str(uuid.uuid4())
    _begin(unpack.begin, other, box)
    deadly = document_rows(SITE, other).unpacking
    assert deadly
    yield unpack.give_up, lambda: unpack.give_up(SITE, deadly, owner="me")


def follow_up_story() -> Iterator[Step]:
    run = published(QUEUE, NOTIFY)
    publish_actions.claim_follow_up(run, owner="me")
    yield publish_actions.queue_document, lambda: publish_actions.queue_document(run, action(run), owner="me")
    yield publish_actions.settle_action, lambda: publish_actions.settle_action(run, action(run), by=BY)

    def moved(move: Callable[..., Any]) -> Step:
        now_due(run)
        publish_actions.claim_follow_up(run, owner="me")
        attempt = publish_actions.begin_action(run, action(run, 1))
        seen = action(run, 1)
        return move, lambda: move(run, seen, attempt=attempt, owner="me", message="x")

    yield moved(publish_actions.retry_action_later)
    yield moved(publish_actions.fail_action)
    failed = action(run, 1)
    yield publish_actions.retry_action, lambda: publish_actions.retry_action(run, failed, by=BY)
    yield moved(publish_actions.complete_action)
    yield (
        publish_actions.end_follow_up,
        lambda: publish_actions.end_follow_up(run, owner="me", status=FollowUpStatus.DONE),
    )


def review_story() -> Iterator[Step]:
    run, ref = open_review()
    yield claims.claim_next, lambda: claims.claim_next(SITE, by=ROSA)
    yield claims.release_claim, lambda: claims.release_claim(ref, run, by=ROSA)
    claims.claim_review(ref, run, by=ROSA)
    yield claims.return_claim, lambda: claims.return_claim(ref, run, by=ROSA)
    yield claims.claim_review, lambda: claims.claim_review(ref, run, by=ROSA)
    first = verdict(ref)
    yield decisions.decide_review, lambda: decisions.decide_review(ref, run, first, by=ROSA)
    yield decisions.undo_decision, lambda: decisions.undo_decision(ref, run, decision_id=first.decision_id, by=ROSA)
    chosen = verdict(ref)
    decisions.decide_review(ref, run, chosen, by=ROSA)
    next_run, following = open_review("next.pdf")
    claims.claim_next(SITE, by=ROSA, but=ref, after=DecidedReview(ref, chosen.decision_id))
    yield claims.release_ahead, lambda: claims.release_ahead(SITE, following.path, by=ROSA)
    claims.claim_next(SITE, by=ROSA, but=ref, after=DecidedReview(ref, chosen.decision_id))
    yield claims.leave_claim, lambda: claims.leave_claim(following, next_run, by=ROSA)
    output = redemption.decision_output(review_queries.get_review(ref)) | {"last": clock.new_ulid()}
    application = Application(run, 1, REVIEW, output)
    yield (
        redemption.apply_decision,
        lambda: redemption.apply_decision(application, DOCUMENT_ANALYSIS),
    )


def notification_story() -> Iterator[Step]:
    yield notification_actions.save_choice, lambda: notification_actions.save_choice(SITE, ["asked"], by=BY)
    url = "https://chat.example.org/hook"
    yield (
        notification_actions.save_chat_webhook,
        lambda: notification_actions.save_chat_webhook(SITE, url, ["asked"], by=BY),
    )


def later_story() -> Iterator[Step]:
    run, ref = open_review()
    claims.claim_review(ref, run, by=ROSA)
    until = clock.now() + dt.timedelta(hours=1)

    def of_it(move: Callable[..., None], *rest: Any) -> Step:
        return move, lambda: move(ref, run, review_queries.get_review(ref), *rest, by=ROSA)

    yield of_it(postponements.postpone_review, until)
    yield of_it(postponements.resume_review)
    yield of_it(assignments.assign_review, ROSA)

    def asked(move: Callable[..., None], *rest: Any, by: Any = ROSA) -> Step:
        claims.claim_review(ref, run, by=ROSA)
        question = Question(clock.new_ulid(), "Paid?", [MARTA.id], MARTA.name, until)
        questions.ask_question(ref, run, review_queries.get_review(ref), question, by=ROSA)
        return move, lambda: move(ref, run, review_queries.get_review(ref), *rest, **({"by": by} if by else {}))

    claims.claim_review(ref, run, by=ROSA)
    yield of_it(questions.ask_question, Question(clock.new_ulid(), "Paid?", [MARTA.id], MARTA.name, until))
    yield of_it(questions.take_asked)
    yield asked(questions.answer_question, "Yes.", by=MARTA)
    yield asked(questions.return_unanswered, by=None)
    yield (
        message_actions.add_comment,
        lambda: message_actions.add_comment(ref, run, "Odd.", message_id=clock.new_ulid(), by=ROSA),
    )


def quality_story() -> Iterator[Step]:
    run, ref = open_review(check_share=1.0)
    decide(run, ref, total="38.90")
    end_run(run, ref)
    yield checks.open_check, lambda: checks.open_check(SITE, check_of(ref))
    second = decide(run, ref.check, MARTA, total="39.90")
    yield checks.settle_check, lambda: checks.settle_check(ref.check, second)
    row, found, decided = loaded(ref)
    outcome = Outcome(Decision.APPROVE, [Choice(one, one.first) for one in found.differences])
    judge = Person("9", "Ines Roth")
    yield adjudicate, lambda: adjudicate(ref, row, found, decided, outcome, by=judge)


def blind_story() -> Iterator[Step]:
    run, ref = open_review(quorum="2/2")
    for one, total in ((ROSA, "38.90"), (MARTA, "39.90")):  # the next person's turn, and a person who decides alone
        voted = decide(run, ref, one, total=total)
        yield quorum.count_vote, lambda voted=voted: quorum.count_vote(ref, voted)  # type: ignore[misc]
    run, ref = open_review(quorum="2/2")
    quorum.count_vote(ref, decide(run, ref, ROSA))
    last = decide(run, ref, MARTA)
    yield quorum.count_vote, lambda: quorum.count_vote(ref, last)


def machine_story() -> Iterator[Step]:
    run = start_run()
    prepared = Advance(DOCUMENT_ANALYSIS.named("segment_prep"), 2, 1, result="completed", facts={"segment_count": 1})
    yield advance.advance, lambda: advance.advance(run, DOCUMENT_ANALYSIS, prepared, last=None)
    waits, ref = open_review()
    Execution.change(advance.execution_key(waits), [Execution.result_sha256.set("1" * 64)], EXISTS)
    facts = {"result_sha256": "1" * 64, "unsure": 0, "pages": 1, "last": "none"}
    at = clock.iso(clock.now())
    pause = Pause(waits, 1, REVIEW, DOCUMENT_ANALYSIS.id, "token", at, 600, "a.pdf", "Receipts", facts)
    assert pause.ref != ref
    yield opening.open_review, lambda: opening.open_review(pause)


def stopped_story() -> Iterator[Step]:
    run = start_run()
    yield interventions.cancel, lambda: interventions.cancel(run, by=BY)
    yield interventions.resume, lambda: interventions.resume(run, ResumeWay.AGAIN, by=BY)


def rerun_story() -> Iterator[Step]:
    run, done, pinned = run_to_repeat(), published_run(), run_settings.freeze(PROJECT)
    execution, step = queries.execution(run), DOCUMENT_ANALYSIS.named("assess")
    yield interventions.resume_from, lambda: interventions.resume_from(run, execution, step, (), by=BY)
    interventions.cancel(run, by=BY)
    yield reruns.run_again, lambda: reruns.run_again(run, "segment_prep", by=BY)
    yield reruns.analyse_again, lambda: reruns.analyse_again(done, pinned, by=BY)
    newest = queries.project_document(SITE, done.project_id, done.document_id).workflow_id
    interventions.cancel(replace(done, workflow_id=str(newest)), by=BY)
    yield reruns.choose_result, lambda: reruns.choose_result(done, by=BY, reviews=True)


def ending_story() -> Iterator[Step]:
    run, _ = open_review()
    yield engine_actions.begin_next, lambda: engine_actions.begin_next(run, attempt=1, why="lost")
    other, _ = open_review()
    yield redemption.expire_review, lambda: redemption.expire_review(other, attempt=1)


STORIES: tuple[Story, ...] = (
    sync_story,
    execution_story,
    definition_story,
    site_story,
    project_story,
    schema_story,
    label_story,
    routing_story,
    incoming_story,
    model_story,
    batch_story,
    document_story,
    import_story,
    folder_story,
    share_story,
    policy_story,
    case_story,
    entity_story,
    operation_story,
    removal_story,
    unpacking_story,
    follow_up_story,
    machine_story,
    review_story,
    later_story,
    quality_story,
    blind_story,
    notification_story,
    stopped_story,
    rerun_story,
    account_story,
    experiment_story,
    export_story,
    prompt_story,
    calibration_story,
    extractor_story,
    ending_story,
    question_story,
)
