"""Every action that records an event, in stories that bring about what each needs; a step is tried, then done."""

import uuid
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from config import clock
from config.transaction import EXISTS
from projects.actions import (
    api_keys,
    attribute_definitions,
    attributes,
    classifying,
    groups,
    metadata,
    queues,
    schemas,
    sites,
    tags,
)
from projects.actions import projects as project_actions
from projects.actions.groups import Grant
from projects.audit import Actor
from projects.governing import AttributeDefinition, AttributeUse, Schema
from projects.permissions import Permission
from projects.queries.documents import document_rows
from projects.schema import ProjectSettings
from review import queries as review_queries
from review.actions import claims, decisions, opening, redemption
from review.actions.opening import Pause
from review.actions.redemption import Application
from tests.factories import PROJECT, PROJECT_ID, REVIEW, ROSA, SITE, start_run, verdict
from tests.flow.question_stories import question_story
from tests.projects.projects import seen_of
from tests.review.reviews import open_review
from tests.workflows import decided
from tests.workflows.actions.test_contents import added, ended_run, original_of
from tests.workflows.follow_ups import NOTIFY, QUEUE, action, now_due, published
from tests.workflows.repeated import published_run, run_to_repeat
from tests.workflows.rules import draft
from workflows import frozen, queries
from workflows.actions import (
    attempts,
    batches,
    calibrations,
    contents,
    definitions,
    document_actions,
    documents,
    followups,
    incoming,
    interventions,
    mappings,
    removals,
    reruns,
    rules,
    rulesets,
    runs,
    unpacking,
)
from workflows.actions.batches import BatchDraft
from workflows.actions.documents import Original
from workflows.actions.interventions import Way
from workflows.actions.mappings import MappingDraft
from workflows.actions.rulesets import RulesetDraft
from workflows.actions.runs import Advance
from workflows.batches import queries as batch_queries
from workflows.definitions import DOCUMENT_ANALYSIS, DOCUMENT_APPROVAL, FIRST_ANALYSIS
from workflows.items.batches import Batch, BatchStatus
from workflows.items.incoming import IncomingFile
from workflows.items.runs import Execution
from workflows.status import FollowUpStatus

BY = Actor("1", "Alice Novak")
# The function that is tried, and the call of it.
Step = tuple[Callable[..., Any], Callable[[], Any]]
Story = Callable[[], Iterator[Step]]


def site_story() -> Iterator[Step]:
    yield sites.create, lambda: sites.create("acme", "Acme", by=BY)
    yield sites.rename, lambda: sites.rename("acme", "Acme Ltd", version=1, by=BY)
    yield sites.set_slots, lambda: sites.set_slots("acme", 3, version=2, by=BY)
    yield sites.close, lambda: sites.close("acme", version=3, by=BY)
    yield sites.reopen, lambda: sites.reopen("acme", version=4, by=BY)
    grants = [Grant("clerks", frozenset(), frozenset({Permission.READ}), 0)]
    yield groups.save, lambda: groups.save("acme", grants, by=BY)
    made = api_keys.create(SITE, "Scanner", [Permission.READ], by=BY)[0]
    yield api_keys.create, lambda: api_keys.create(SITE, "Other", [Permission.READ], by=BY)
    yield api_keys.revoke, lambda: api_keys.revoke(SITE, made.mask, by=BY)


def project_story() -> Iterator[Step]:
    wanted = ProjectSettings(name="Bills")
    made = project_actions.create(SITE, wanted, by=BY, project_id=project_actions.new_project_id())
    new_id = project_actions.new_project_id()
    yield project_actions.create, lambda: project_actions.create(SITE, wanted, by=BY, project_id=new_id)
    changed = ProjectSettings(name="Other bills")
    yield (
        project_actions.update,
        lambda: project_actions.update(SITE, made.id, changed, seen=seen_of(made), by=BY),
    )
    queue_id = clock.new_ulid()
    yield queues.create, lambda: queues.create(SITE, "Payables", [], by=BY, queue_id=queue_id)
    yield queues.update, lambda: queues.update(SITE, queue_id, name="Bills", groups=[], version=1, by=BY)
    yield queues.archive, lambda: queues.archive(SITE, queue_id, by=BY)
    yield queues.restore, lambda: queues.restore(SITE, queue_id, by=BY)


def schema_story() -> Iterator[Step]:
    for key in ("vendor", "spare"):
        define = AttributeDefinition(key, key.capitalize(), "text")
        yield attribute_definitions.create, lambda define=define: attribute_definitions.create(SITE, define, by=BY)
    yield (
        attribute_definitions.relabel,
        lambda: attribute_definitions.relabel(SITE, "vendor", "Sender", version=1, by=BY),
    )
    yield attribute_definitions.delete, lambda: attribute_definitions.delete(SITE, "spare", by=BY)
    one, made = Schema("Bill", (AttributeUse("vendor"),)), schemas.new_classification_id()
    yield (
        schemas.create_classification,
        lambda: schemas.create_classification(SITE, one, by=BY, classification_id=made),
    )
    other = Schema("Bill", (AttributeUse("vendor", required=True),))
    yield schemas.save_classification, lambda: schemas.save_classification(SITE, made, other, version=1, by=BY)
    yield (
        schemas.archive_classification,
        lambda: schemas.archive_classification(SITE, made, archived=True, version=2, by=BY),
    )
    yield schemas.save_site_schema, lambda: schemas.save_site_schema(SITE, other, version=0, by=BY)


def routing_story() -> Iterator[Step]:
    a, b, c = clock.new_ulid(), clock.new_ulid(), clock.new_ulid()
    yield rulesets.create, lambda: rulesets.create(SITE, RulesetDraft("Bills", 1, True), by=BY, ruleset_id=a)
    yield rulesets.update, lambda: rulesets.update(SITE, a, RulesetDraft("Other", 2, True), version=1, by=BY)
    yield rules.create, lambda: rules.create(SITE, a, draft(), by=BY, rule_id=b)
    yield rules.update, lambda: rules.update(SITE, a, b, draft(description="Other"), version=1, by=BY)
    yield rules.remove, lambda: rules.remove(SITE, a, b, version=2, by=BY)
    pairs = MappingDraft("Totals", "", on=True, pairs=(("total", "amount"),))
    yield mappings.create, lambda: mappings.create(SITE, pairs, by=BY, mapping_id=c)
    other = MappingDraft("Sums", "", on=True, pairs=(("total", "amount"),))
    yield mappings.update, lambda: mappings.update(SITE, c, other, version=1, by=BY)


def incoming_story() -> Iterator[Step]:
    project = project_actions.create(
        SITE, ProjectSettings(name="Bills"), by=BY, project_id=project_actions.new_project_id()
    )
    yield incoming.add_tenant, lambda: incoming.add_tenant("acme", SITE, project, by=BY)
    yield incoming.remove_tenant, lambda: incoming.remove_tenant("acme", by=BY)
    now = clock.iso(clock.now())
    file = IncomingFile(*incoming.key_of("1" * 64), name="a.pdf", status="", siteId=SITE, file_size=1, created_at=now)
    yield incoming.quarantine, lambda: incoming.quarantine(file, "Nobody has it.")
    yield incoming.again, lambda: incoming.again(file, by=BY)
    yield incoming.discard, lambda: incoming.discard(file, by=BY)


def batch_story() -> Iterator[Step]:
    one, other = clock.new_ulid(), clock.new_ulid()
    draft = BatchDraft("November", PROJECT_ID, "Bills", "bulk/default/keys.txt", "list", slots=2, percent=20)

    def now(batch_id: str = one) -> Batch:
        return batch_queries.batch(SITE, batch_id)

    yield batches.create, lambda: batches.create(SITE, draft, by=BY, batch_id=one)
    yield batches.change_slots, lambda: batches.change_slots(SITE, now(), 3, by=BY)
    yield batches.read, lambda: batches.read(SITE, now(), total=2, bad=1, planned=1, parts=1, allowed=0)
    yield batches.begin, lambda: batches.begin(SITE, now())
    yield batches.finish, lambda: batches.finish(SITE, now(), BatchStatus.FINISHED)
    Batch.change(now().key, [Batch.failed.set(1)], EXISTS)
    yield batches.retry, lambda: batches.retry(SITE, now(), by=BY)
    yield batches.cancel, lambda: batches.cancel(SITE, now(), by=BY)
    yield batches.go_on, lambda: batches.go_on(SITE, now(), by=BY)
    batches.create(SITE, draft, by=BY, batch_id=other)
    yield batches.refuse, lambda: batches.refuse(SITE, now(other), "No line.")


def _begin(begin: Callable[..., Any], document_id: str, original: Original, **more: Any) -> Any:
    return begin(
        site=SITE, by=BY, project_id=PROJECT_ID, project=PROJECT, document_id=document_id, original=original, **more
    )


def document_story() -> Iterator[Step]:
    attribute_definitions.create(SITE, AttributeDefinition("vendor", "Vendor", "text"), by=BY)
    pinned, new_id = frozen.freeze(PROJECT), str(uuid.uuid4())
    original = Original("a.pdf", "application/pdf", 10, "projects/p/a.pdf", 1)
    yield documents.start, lambda: _begin(documents.start, new_id, original, pinned=pinned)
    run = start_run()
    one = run.document_id
    yield attributes.set_attribute, lambda: attributes.set_attribute(SITE, one, "vendor", ["a"], by=BY)
    yield attributes.remove_attribute, lambda: attributes.remove_attribute(SITE, one, "vendor", by=BY)
    yield tags.add_tag, lambda: tags.add_tag(SITE, one, "shelf", "1", by=BY)
    yield tags.change_tag, lambda: tags.change_tag(SITE, one, "shelf", "1", "2", by=BY)
    yield tags.remove_tag, lambda: tags.remove_tag(SITE, one, "shelf", "2", by=BY)
    yield classifying.classify, lambda: classifying.classify(SITE, one, "bill", name="Bill", by=BY)
    yield metadata.set_metadata, lambda: metadata.set_metadata(SITE, one, "from", "Rosa", by=BY)
    execution = queries.execution(run)
    failed = {"attempt": 1, "error": "E", "sentence": "Not readable."}
    yield runs.fail, lambda: runs.fail(run, DOCUMENT_ANALYSIS, execution, **failed)  # type: ignore[arg-type]
    newer = original_of(run)
    yield contents.add_content, lambda: added(run, newer)


def removal_story() -> Iterator[Step]:
    one = ended_run().document_id
    for back in (removals.restore, removals.purge):
        yield removals.delete, lambda: removals.delete(SITE, one, by=BY, reason="Twice")
        removals.finish(SITE, one)
        yield back, lambda back=back: back(SITE, one, by=BY)
        removals.finish(SITE, one)


def unpacking_story() -> Iterator[Step]:
    one = str(uuid.uuid4())
    box = Original("a.zip", "application/zip", 10, "projects/p/a.zip", None)
    yield unpacking.begin, lambda: _begin(unpacking.begin, one, box)
    record = document_rows(SITE, one).unpacking
    assert record
    yield unpacking.finish, lambda: unpacking.finish(SITE, record, refused=[("x", "no")], message="")


def follow_up_story() -> Iterator[Step]:
    run = published(QUEUE, NOTIFY)
    followups.claim(run, owner="me")
    yield document_actions.enqueue, lambda: document_actions.enqueue(run, action(run), owner="me")
    yield document_actions.settle, lambda: document_actions.settle(run, action(run), by=BY)

    def moved(move: Callable[..., Any]) -> Step:
        now_due(run)
        followups.claim(run, owner="me")
        attempt = document_actions.begin(run, action(run, 1))
        seen = action(run, 1)
        return move, lambda: move(run, seen, attempt=attempt, owner="me", message="x")

    yield moved(document_actions.again)
    yield moved(document_actions.fail)
    failed = action(run, 1)
    yield document_actions.retry, lambda: document_actions.retry(run, failed, by=BY)
    yield moved(document_actions.complete)
    yield followups.end, lambda: followups.end(run, owner="me", status=FollowUpStatus.DONE)


def review_story() -> Iterator[Step]:
    run, ref = open_review()
    yield claims.claim, lambda: claims.claim(ref, run, by=ROSA)
    yield claims.release, lambda: claims.release(ref, run, by=ROSA)
    yield claims.claim_next, lambda: claims.claim_next(SITE, by=ROSA)
    first = verdict(ref)
    yield decisions.decide, lambda: decisions.decide(ref, run, first, by=ROSA)
    yield decisions.undo, lambda: decisions.undo(ref, run, decision_id=first.decision_id, by=ROSA)
    chosen = verdict(ref)
    decisions.decide(ref, run, chosen, by=ROSA)
    output = redemption.decision_output(review_queries.review(ref)) | {"last": clock.new_ulid()}
    application = Application(run, 1, REVIEW, output)
    yield (
        redemption.apply_decision,
        lambda: redemption.apply_decision(application, DOCUMENT_ANALYSIS),
    )


def machine_story() -> Iterator[Step]:
    run = start_run()
    prepared = Advance(DOCUMENT_ANALYSIS.named("segment_prep"), 2, 1, result="completed", facts={"segment_count": 1})
    yield runs.advance, lambda: runs.advance(run, DOCUMENT_ANALYSIS, prepared, last=None)
    waits, ref = open_review()
    Execution.change(runs.execution_key(waits), [Execution.result_sha256.set("1" * 64)], EXISTS)
    facts = {"result_sha256": "1" * 64, "reasons": [], "unsure": 0, "pages": 1, "last": "none"}
    at = clock.iso(clock.now())
    pause = Pause(waits, 1, REVIEW, DOCUMENT_ANALYSIS.id, "token", at, 600, "a.pdf", "Receipts", facts)
    assert pause.ref != ref
    yield opening.open_review, lambda: opening.open_review(pause)


def stopped_story() -> Iterator[Step]:
    run = start_run()
    yield interventions.cancel, lambda: interventions.cancel(run, by=BY)
    yield interventions.resume, lambda: interventions.resume(run, Way.AGAIN, by=BY)


def rerun_story() -> Iterator[Step]:
    run, done, pinned = run_to_repeat(), published_run(), frozen.freeze(PROJECT)
    execution, step = queries.execution(run), DOCUMENT_ANALYSIS.named("assess")
    yield interventions.resume_from, lambda: interventions.resume_from(run, execution, step, (), by=BY)
    interventions.cancel(run, by=BY)
    yield reruns.run_again, lambda: reruns.run_again(run, "segment_prep", by=BY)
    yield reruns.analyse_again, lambda: reruns.analyse_again(done, pinned, by=BY)
    newest = queries.project_document(SITE, done.project_id, done.document_id).workflow_id
    interventions.cancel(replace(done, workflow_id=str(newest)), by=BY)
    yield reruns.choose_result, lambda: reruns.choose_result(done, by=BY)


def calibration_story() -> Iterator[Step]:
    learned, new = decided.reviewed_project(), decided.project()
    yield calibrations.propose, lambda: calibrations.propose(SITE, learned, by=BY)
    yield calibrations.activate, lambda: calibrations.activate(SITE, learned, 1, seen=0, by=BY)
    refused = calibrations.propose_or_say_why
    yield refused, lambda: refused(SITE, new, by=BY, order="1")


def definition_story() -> Iterator[Step]:
    for one in (FIRST_ANALYSIS, DOCUMENT_ANALYSIS, DOCUMENT_APPROVAL):
        definitions.publish(one)
    yield definitions.activate, lambda: definitions.activate(FIRST_ANALYSIS.id, instead_of=2, by=BY)
    yield definitions.archive, lambda: definitions.archive(DOCUMENT_APPROVAL.id, by=BY)


def ending_story() -> Iterator[Step]:
    run, _ = open_review()
    yield attempts.begin_next, lambda: attempts.begin_next(run, attempt=1, why="lost")
    other, _ = open_review()
    yield redemption.expire, lambda: redemption.expire(other, attempt=1)


STORIES: tuple[Story, ...] = (
    definition_story,
    site_story,
    project_story,
    schema_story,
    routing_story,
    incoming_story,
    batch_story,
    document_story,
    removal_story,
    unpacking_story,
    follow_up_story,
    machine_story,
    review_story,
    stopped_story,
    rerun_story,
    calibration_story,
    ending_story,
    question_story,
)
