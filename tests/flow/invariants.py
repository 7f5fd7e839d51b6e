"""What holds in the end, whatever happened on the way: each document came somewhere, once, and everybody was told."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings

from config import aws, table
from config.deploy import bootstrap
from config.item import Item
from config.table import DEFAULT_SITE
from projects.documents import recount
from review.items.reviews import Review, ReviewDecision
from review.status import DECIDED, UNDECIDED, Decision, ReviewStatus
from workflows.runs import events, queries
from workflows.runs.items import DocumentEvent, Outcome, ProjectDocument, Run, Transition
from workflows.runs.run_files import files_of
from workflows.storage import files

_ENDS = {  # the event that tells of an end
    Outcome.PUBLISHED: events.PROCESSED,
    Outcome.REJECTED: events.FAILED,
    Outcome.FAILED: events.FAILED,
    Outcome.EXPIRED: events.FAILED,
    Outcome.PARTIAL: events.FAILED,
}
Bus = Mapping[str, list[dict[str, Any]]]


@dataclass
class Answer:
    """What a person was told is decided. ``typed``: the total that an approval sets."""

    decision: Decision
    typed: str


@dataclass
class Found:
    """One document with all that the table says of it."""

    run: Run
    name: str
    outcome: str | None
    events: list[DocumentEvent] = field(default_factory=list)
    transitions: list[Transition] = field(default_factory=list)
    reviews: list[Review] = field(default_factory=list)
    decisions: list[ReviewDecision] = field(default_factory=list)

    def kinds(self) -> Counter[str]:
        return Counter(event.type for event in self.events)

    @property
    def end(self) -> str:
        """For a report: the outcome, or ``in review``."""
        return self.outcome or ("in review" if any(one.status in UNDECIDED for one in self.reviews) else "moving")


def documents(project_id: str) -> Iterator[ProjectDocument]:
    cursor = None
    while True:
        page = queries.project_documents(DEFAULT_SITE, project_id, cursor=cursor)
        yield from page.rows
        if (cursor := page.next) is None:
            return


def run_of(row: ProjectDocument) -> Run:
    return Run(DEFAULT_SITE, str(row.project_id), str(row.document_id), str(row.workflow_id))


def found(project_id: str) -> list[Found]:
    return [_found(run_of(row), str(row.name), row.outcome) for row in documents(project_id)]


def _found(run: Run, name: str, outcome: str | None) -> Found:
    pk = table.REVIEW.partition_key(run.site, document_id=run.document_id)
    rows = list(Item.page(pk, sk=Item.SK.startswith(table.REVIEW.sort_prefix()), limit=100, consistent=True).rows)
    decisions = [ReviewDecision.load(row.key) for row in rows if "#DECISION#" in row.SK]
    reviews = [Review.load(row.key) for row in rows if row.SK.count("#") == 1]
    lineage = list(queries.lineage(run.site, run.document_id).rows)
    transitions = list(queries.transitions(run.site, run.workflow_id).rows)
    return Found(run, name, outcome, lineage, transitions, reviews, decisions)


def heard() -> dict[str, list[dict[str, Any]]]:
    """All that the bus delivered, by the event's id: each copy with its type as ``type``; the queue is empty then."""
    url = settings.QUEUE_URLS[settings.DESK_QUEUE].replace(settings.DESK_QUEUE, bootstrap.EVENTS_QUEUE)
    sqs, copies = aws.aws_client("sqs"), defaultdict(list)
    while messages := sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages"):
        for message in messages:
            event = json.loads(message["Body"])
            copies[str(event["detail"]["id"])].append({**event["detail"], "type": event["detail-type"]})
            sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
    return dict(copies)


def is_settled(row: ProjectDocument) -> bool:
    """Ended, or a person may decide: nothing of ours has to move it."""
    if row.outcome:
        return True
    if row.current_step is None:
        return False
    one = _found(run_of(row), "", None)
    return any(review.status in UNDECIDED for review in one.reviews)


def assert_well(all_found: list[Found], answers: Mapping[str, Answer], bus: Bus) -> None:
    """``answers``: what a person was told, by document id."""
    for one in all_found:
        assert_came_somewhere(one)
        assert_decided_once(one, answers.get(one.run.document_id))
        assert_told(one, bus)
    known = {event.event_id for one in all_found for event in one.events}
    assert set(bus) <= known, "the bus told of what no record knows"
    assert set(answers) <= {one.run.document_id for one in all_found}
    assert recount.find_differences(DEFAULT_SITE) == []


def assert_came_somewhere(one: Found) -> None:
    """Published, in review, rejected, or failed with a reason; each step left once."""
    execution, board = queries.execution(one.run), queries.board(one.run.site, one.run.workflow_id)
    assert execution.outcome == board.outcome == one.outcome, one
    moves = [(int(row.fromStep), int(row.toStep)) for row in one.transitions]
    assert len(moves) == len(set(moves)), (one.run, moves)
    if one.outcome is None:
        assert [review.status in UNDECIDED for review in one.reviews] == [True], (one, one.reviews)
        assert board.current_step == "human_review"
        assert execution.GSI2PK, "nobody looks after this run"
        assert one.reviews[0].GSI2PK, "nobody looks after this review"
    elif one.outcome not in (Outcome.PUBLISHED, Outcome.REJECTED):
        step = board.data[str(board.data["current_step"])]
        assert step["error"], one
    else:
        assert execution.GSI2PK is None


def assert_decided_once(one: Found, answer: Answer | None) -> None:
    """What was said to be decided is, exactly that, and it had its effect once."""
    kept = [decision for decision in one.decisions if not decision.undone_at]
    if answer is None:
        # Nobody was told so; a decision whose answer got lost may be there all the same, and then it counts.
        assert len(kept) <= 1
    else:
        assert [decision.decision for decision in kept] == [answer.decision], (one.run, answer)
    if not kept:
        assert one.kinds()["HUMAN_REVIEW_APPLIED"] == 0
        return
    (decision,) = kept
    assert len(one.reviews) == 1
    assert (one.reviews[0].status, one.reviews[0].decision_id) == (ReviewStatus.APPLIED, decision.decisionId), one
    assert queries.execution(one.run).decision_id == decision.decisionId
    approved = decision.decision == Decision.APPROVE
    assert one.kinds()["HUMAN_REVIEW_APPROVED" if approved else "HUMAN_REVIEW_REJECTED"] == 1
    assert one.kinds()["HUMAN_REVIEW_APPLIED"] == 1
    assert one.outcome == (Outcome.PUBLISHED if approved else Outcome.REJECTED)
    if approved and answer:
        output = json.loads(files_of(one.run).read(files.output(one.run.workflow_id)))
        assert next(row["value"] for row in output["fields"] if row["name"] == "total") == answer.typed


def assert_told(one: Found, bus: Bus) -> None:
    """Each event that is for the bus was on it, under its one id; an end was told of by one event."""
    due = [event for event in one.events if event.bus_type]
    for event in due:
        assert event.GSI2PK is None, ("never sent", event.event_id, event.type)
        copies = bus.get(event.event_id, [])
        assert copies, ("not on the bus", event.event_id, event.type)
        assert all(copy == copies[0] for copy in copies)
        assert copies[0]["type"] == event.bus_type
    types = Counter(event.bus_type for event in due)
    assert types[events.REVIEW_REQUIRED] == len(one.reviews)
    if one.outcome:
        assert types[_ENDS[Outcome(one.outcome)]] == 1, one
        assert len(due) == 1 + len(one.reviews), types


def undelivered() -> list[str]:
    """Decisions that are not applied."""
    return [row.SK for row in _due(Review) if row.status in DECIDED]


def unsent() -> list[str]:
    """Events that wait to be put on the bus."""
    return [row.SK for row in _due(DocumentEvent) if "#event#" in str(row.GSI2SK)]


def _due(kind: type[Item]) -> list[Any]:
    return [
        row for shard in range(settings.DUE_SHARDS) for row in kind.page(table.due_partition(shard), index="GSI2").rows
    ]
