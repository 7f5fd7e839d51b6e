"""Quorum: several reviewers decide blindly in turn until enough agree; only then does the run continue.

Decisions are made as usual; after the undo window they are counted instead of redeemed. The review's ``quorum``
attribute marks this; it is removed once enough agree, or once a person who sees all answers has to decide.
"""

import json
import logging
from collections import Counter as Sums
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action

from config import clock, table
from config.due import actions as due_work
from config.errors import Conflict
from config.phrase import Sentence
from config.transaction import EXISTS, Change, Check, Put, Update, transact
from projects.documents import counting
from projects.queues.items import DEFAULT_QUEUE
from review.changes import FieldChange, row_changes
from review.decide.opening import next_look
from review.identity import Person, ReviewRef, checkpoint_key
from review.items.reviews import READABLE, Review, ReviewDecision, may_move
from review.quality import figures
from review.quality.actions import count_figures, read_result
from review.quality.agreement import BLIND, Agreement, describe_quorum, find_agreement, merge_votes, read_quorum
from review.quality.comparison import compare_decisions
from review.status import DECIDED, REOPEN, Bar
from workflows.runs import events
from workflows.runs.items import ReviewCheckpoint, Run
from workflows.runs.run_files import files_of
from workflows.stages.assess import SHOWN
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

log = logging.getLogger(__name__)


def count_vote(ref: ReviewRef, decision_id: str, *, may_undo: bool = True) -> str | None:
    """Count a decision after its undo window; return the id of the agreed decision, if there is one.

    ``may_undo``: False once the machine no longer waits, so that the undo window is not awaited either.

    Otherwise the review waits for the next person, who sees nothing of it; or, once no further vote could bring
    agreement, for a person who sees the differences and decides alone.

    Raises:
        Conflict: nothing to count: undone, within its undo window, counted before, or without a quorum.

    """
    review = Review.load(ref.key, only=READABLE)
    if not review.quorum or review.decision_id != decision_id or review.status not in DECIDED:
        raise Conflict
    run, quorum = Run(ref.site, review.project_id, ref.document_id, review.workflow_id), read_quorum(review.quorum)
    names = [*(review.votes or ()), f"{decision_id}#{review.decision_sha256}"]
    votes = [_read_vote(run, one) for one in names]
    result = read_result(ref, review)
    found = find_agreement(result, votes, needed=quorum.needed, of=quorum.of)
    counted = _Vote(ref, run, review, names, votes, may_undo)
    if found.is_reached:
        return _settle(counted, result, found)
    if found.is_open:
        words = describe_quorum(quorum, len(votes))
        _reopen(counted, [Review.reasons.set(_lead_with(words, review))], "BLIND_CONTINUED", ())
    else:
        _hand_to_judge(counted, result, found)
    return None


class _Vote(NamedTuple):
    """The review as read, with its newest decision. ``names``: of all decisions; ``votes``: their objects."""

    ref: ReviewRef
    run: Run
    review: Review
    names: Sequence[str]
    votes: Sequence[Mapping[str, Any]]
    may_undo: bool

    @property
    def as_read(self) -> Condition:
        """Condition: nothing was undone, counted or sent meanwhile."""
        same: Condition = Review.decision_id == self.review.decision_id
        waits: Condition = may_move(REOPEN) & same & Review.quorum.exists()
        over: Condition = Review.redeem_after <= clock.iso(clock.now())
        return waits & over if self.may_undo else waits

    @property
    def people(self) -> list[Person]:
        return [Person(str(one["reviewer"]["id"]), str(one["reviewer"]["name"])) for one in self.votes]


def _read_vote(run: Run, name: str) -> dict[str, Any]:
    decision_id, sha256 = name.split("#")
    store = files_of(run)
    found: dict[str, Any] = json.loads(store.read_pinned(files.decision(run.workflow_id, decision_id, sha256), sha256))
    return found


def _write_object(vote: _Vote, decision_id: str, content: Mapping[str, Any]) -> tuple[str, str]:
    """Write the object; return its URI and SHA-256."""
    body = json.dumps(content, ensure_ascii=False, sort_keys=True).encode()
    store, sha256 = DocumentFiles(vote.ref.site, vote.run.project_id, vote.ref.document_id), files.sha256(body)
    return store.write(files.decision(vote.run.workflow_id, decision_id, sha256), body, "application/json"), sha256


def _settle(vote: _Vote, result: Mapping[str, Any], found: Agreement) -> str:
    """Store the agreed decision under an id of its own; it is redeemed like any other."""
    decision_id, now = clock.new_ulid(), clock.iso(clock.now())
    names = ", ".join(one.name for one in vote.people)
    last = vote.people[-1]
    merged = merge_votes(vote.votes, found) | {
        "decision_id": decision_id, "reviewer": {"id": last.id, "name": names}, "at": now,
    }  # fmt: skip
    uri, sha256 = _write_object(vote, decision_id, merged)
    decided: list[Action] = [
        Review.decision_id.set(decision_id),
        Review.decision.set(merged["decision"]),
        Review.decision_uri.set(uri),
        Review.decision_sha256.set(sha256),
        Review.reviewer_name.set(names),
        Review.votes.set(list(vote.names)),
        Review.quorum.remove(),
        Review.updated_at.set(now),
    ]
    changes: list[Change] = [
        Update(vote.ref.key, decided, vote.as_read),
        Put(_decision_row(vote, decision_id, merged, uri, sha256)),
        *_count_figures(vote, result),
    ]
    facts = {"review": vote.ref.review_id, "decision": decision_id, "corrected": len(merged["changes"])}
    transact(changes, events.lineage(vote.run, "BLIND_AGREED", decision=merged["decision"], facts=facts))
    log.info("reviewers agree", extra={"review": vote.ref.review_id, "decision": decision_id})
    return decision_id


def _decision_row(vote: _Vote, decision_id: str, merged: Mapping[str, Any], uri: str, sha256: str) -> ReviewDecision:
    """Build the decision's row for the site's history; each reviewer has a row of their own."""
    ref, review, at = vote.ref, vote.review, str(merged["at"])
    key = table.REVIEW_DECISION.key(
        ref.site, document_id=ref.document_id, review_id=ref.review_id, decision_id=decision_id
    )
    listed = {"user_id": str(review.reviewer), "decided_at": at, "decision_id": decision_id}
    return ReviewDecision(
        key.pk,
        key.sk,
        **table.REVIEW_DECISION.gsi2(ref.site, **listed),
        name=review.name,
        status=merged["decision"],
        document_id=ref.document_id,
        workflow_id=vote.run.workflow_id,
        holder=review.reviewer,
        holder_name=merged["reviewer"]["name"],
        created_at=at,
        deadline=at,
        reviewId=ref.review_id,
        decisionId=decision_id,
        decision=merged["decision"],
        reviewer=review.reviewer,
        reviewer_name=merged["reviewer"]["name"],
        uri=uri,
        sha256=sha256,
        reason=merged.get("reason") or None,
        reject_reason=merged.get("reject_reason") or None,
        changes=row_changes([_change_of(one) for one in merged["changes"]]) or None,
        decidedAt=at,
    )


def _change_of(stored: Mapping[str, Any]) -> FieldChange:
    return FieldChange(
        stored["field"], stored["label"], stored["before"], stored["after"], str(stored.get("answer") or "")
    )


def _hand_to_judge(vote: _Vote, result: Mapping[str, Any], found: Agreement) -> None:
    """Hand over to a deciding approval: agreed fields are in place, disputed ones are doubted."""
    uri, sha256 = _write_object(vote, str(vote.review.decision_id), merge_votes(vote.votes, found))
    labels = [one.label for one in found.disputes]
    if found.decision is None:
        labels.insert(0, Sentence("Approve or reject"))
    actions = [
        Review.quorum.remove(),
        Review.before_uri.set(uri),
        Review.before_sha256.set(sha256),
        Review.reasons.set(
            _lead_with(Sentence("Reviewers differ: %(fields)s").fill(fields=", ".join(labels)), vote.review)
        ),
        Review.fields_unsure.set(len(found.disputes)),
    ]
    _reopen(vote, actions, "BLIND_DISPUTED", _count_figures(vote, result))


def _lead_with(words: str, review: Review) -> list[str]:
    """Replace the earlier reason about how many decided."""
    return [words, *(one for one in review.reasons or () if not one.startswith(BLIND))][:SHOWN]


def _reopen(vote: _Vote, more: Sequence[Action], event: str, also: Sequence[Change]) -> None:
    """Reopen the review for anyone who has not decided on it."""
    ref, review, now = vote.ref, vote.review, clock.iso(clock.now())
    index = table.REVIEW.gsi1(
        ref.site, queue=review.queue or DEFAULT_QUEUE, deadline=review.deadline, review_id=ref.review_id
    )
    look_at = next_look(
        ref, clock.parse(review.deadline), since=clock.parse(review.created_at), escalated=bool(review.escalated_at)
    )
    barred = (review.barred.as_dict() if review.barred else {}) | {one.id: Bar.DECIDED.value for one in vote.people}
    actions: list[Action] = [
        Review.status.set(REOPEN.to),
        Review.votes.set(list(vote.names)),
        Review.barred.set(barred),
        Review.version.set(Review.version + 1),
        *(one.remove() for one in _OF_A_DECISION),
        Review.GSI1PK.set(index["GSI1PK"]),
        Review.GSI1SK.set(index["GSI1SK"]),
        *due_work.postpone_actions(Review, clock.iso(look_at), review_id=ref.review_id),
        Review.updated_at.set(now),
        *more,
    ]
    changes: list[Change] = [
        Check(table.DOCUMENT.key(ref.site, document_id=ref.document_id), EXISTS, name="document"),
        Update(ref.key, actions, vote.as_read),
        Update(checkpoint_key(ref), [ReviewCheckpoint.status.set("pending_review")]),
        *also,
        *counting.apply_tally(ref.site, counting.count_queued(review.queue or DEFAULT_QUEUE, ref.document_id, 1)),
    ]
    transact(changes, events.lineage(vote.run, event, facts={"review": ref.review_id}))
    log.info("blind review goes on", extra={"review": ref.review_id, "event": event})


_OF_A_DECISION = (
    Review.decision_id, Review.decision, Review.decision_uri, Review.decision_sha256, Review.redeem_after,
    Review.reviewedAt, Review.reviewer, Review.reviewer_name, Review.holder, Review.holder_name, Review.lease_until,
    Review.claimed_at, Review.claimed_ahead, Review.claimed_after, Review.drives,
)  # fmt: skip


def _count_figures(vote: _Vote, result: Mapping[str, Any]) -> list[Change]:
    """Count every pair of decisions as two blind reviews."""
    people = {one.id: one for one in vote.people}
    sums: dict[str, Sums[str]] = {one: Sums() for one in people}
    for one, other in combinations(vote.votes, 2):
        pair = figures.count_comparison(compare_decisions(result, one, other))
        for decided, added in zip((one, other), pair, strict=True):
            sums[str(decided["reviewer"]["id"])] += added
    return count_figures(vote.run, [(people[user_id], added) for user_id, added in sums.items()])
