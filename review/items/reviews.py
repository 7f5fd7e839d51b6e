"""A review, its decisions and drafts. The task token is on the review's item and in none of these classes."""

from pynamodb.attributes import BooleanAttribute, ListAttribute, NumberAttribute, UnicodeAttribute, UnicodeSetAttribute
from pynamodb.expressions.condition import Condition

from config import table
from config.due.items import DueWork
from config.item import Item, map_attribute
from review.status import PUT_OFF, Move
from workflows.runs.items import DecidedFields


class Review(DueWork):
    """One question to a person about one result of one run.

    Access: by id; by queue in order of deadline (GSI1, while undecided); due (GSI2, while something is to happen).
    """

    due_entity = table.REVIEW
    reviewId = UnicodeAttribute()  # noqa: N815 - the seeds' names are what is stored
    status = UnicodeAttribute()
    createdAt = UnicodeAttribute()  # noqa: N815
    reviewedAt = UnicodeAttribute(null=True)  # noqa: N815
    reviewer = UnicodeAttribute(null=True)
    reviewer_name = UnicodeAttribute(null=True)
    queue = UnicodeAttribute()
    name = UnicodeAttribute()
    project_id = UnicodeAttribute()
    project_name = UnicodeAttribute(null=True)
    document_id = UnicodeAttribute()
    workflow_id = UnicodeAttribute()
    page_count = NumberAttribute(null=True)
    reasons: ListAttribute[str] = ListAttribute(null=True)
    fields_unsure = NumberAttribute(null=True)
    triage = UnicodeAttribute(null=True)  # what lists sort and filter by: workflows.stages.assessment.triage
    unseen_allowed = BooleanAttribute(null=True)  # as the run froze it: fields may be approved that no one has checked
    deadline = UnicodeAttribute()
    result_sha256 = UnicodeAttribute()
    last_transition = UnicodeAttribute()  # the run's last one when it paused: nothing moves it while it waits
    step = NumberAttribute()
    definition = UnicodeAttribute()
    version = NumberAttribute()  # bumped by each claim and takeover, never by a renewal
    holder = UnicodeAttribute(null=True)
    holder_name = UnicodeAttribute(null=True)
    lease_until = UnicodeAttribute(null=True)  # the holder's, projected for the queue: no worker leases a review
    claimed_at = UnicodeAttribute(null=True)  # by the one who holds it, or decided it
    postponed_until = UnicodeAttribute(null=True)  # by its last holder, who is still named
    # While it waits for an answer, with ``postponed_until``; its holder is who asked:
    question_id = UnicodeAttribute(null=True)
    question_to = UnicodeSetAttribute(null=True)  # ids of people, each of whom may answer
    question_to_name = UnicodeAttribute(null=True)  # of the person, or of the group
    question_ended = UnicodeAttribute(null=True)  # how the last question came back: answered or unanswered
    messages = NumberAttribute(null=True)  # how many there are, so that a review without any is read by one call
    page_readings = UnicodeSetAttribute(null=True)  # names of what other OCR models read of its pages meanwhile
    passed_by = UnicodeSetAttribute(null=True)  # ids of people who gave it back: it is no next document of theirs
    claimed_after = UnicodeAttribute(null=True)  # the decision that this was claimed ahead with, by itself
    claimed_ahead = UnicodeAttribute(null=True)  # with this one's decision: the document's and the review's id
    decision_id = UnicodeAttribute(null=True)
    decision = UnicodeAttribute(null=True)
    decision_uri = UnicodeAttribute(null=True)
    decision_sha256 = UnicodeAttribute(null=True)
    redeem_after = UnicodeAttribute(null=True)
    escalated_at = UnicodeAttribute(null=True)  # its deadline is near, and everybody was told
    drives = NumberAttribute(null=True)  # how often the redemption was driven on
    hidden = map_attribute(null=True)  # while the document is deleted
    lacking_allowed = BooleanAttribute(null=True)  # as the run froze it: without a required field, if someone says why
    reject_reasons: ListAttribute[str] = ListAttribute(null=True)  # to choose from, as the run froze them
    check_share = NumberAttribute(null=True)  # as the run froze it: 0–1, of decided reviews that are reviewed twice
    copies: ListAttribute[str] = ListAttribute(null=True)  # kind#id of earlier documents that are the same
    barred = map_attribute(null=True)  # user id → why this person may not decide it: a review.status.Bar
    quorum = UnicodeAttribute(null=True)  # "2/3" while several decide blindly: two have to agree, of three at most
    votes: ListAttribute[str] = ListAttribute(null=True)  # of each such decision that was counted: id#SHA-256
    # Of a second approval: the decision that was applied before it.
    before_uri = UnicodeAttribute(null=True)
    before_sha256 = UnicodeAttribute(null=True)
    # Of a seeded check: the test set, and the known answers there.
    seed_of = UnicodeAttribute(null=True)
    seed_sha256 = UnicodeAttribute(null=True)
    # Of what another system handed over, and of nothing else:
    caller = UnicodeAttribute(null=True)  # who asks, in the caller's own words
    asked_by = UnicodeAttribute(null=True)  # whose ids of questions these are
    caller_id = UnicodeAttribute(null=True)  # the caller's own id of the question
    question_sha256 = UnicodeAttribute(null=True)
    execution_arn = UnicodeAttribute(null=True)  # of the caller's execution that waits, where it is known
    delivery = UnicodeAttribute(null=True)  # what became of the answer (review.status.Delivery)
    created_at = UnicodeAttribute()
    updated_at = UnicodeAttribute()


def may_move(move: Move) -> Condition:
    """The review's status is one that ``move`` starts from."""
    allowed: Condition = Review.status.is_in(*move.sources)
    return allowed


def stays_postponed(postponed: bool) -> Condition:
    """It is still among what was put off, or still not: what a change counts depends on it."""
    put_off: Condition = Review.status.is_in(*PUT_OFF)
    same: Condition = put_off if postponed else ~put_off
    return same


def was_not_passed_by(user_id: str) -> Condition:
    allowed: Condition = Review.passed_by.does_not_exist() | ~Review.passed_by.contains(user_id)
    return allowed


def may_be_decided_by(user_id: str) -> Condition:
    allowed: Condition = Review.barred[user_id].does_not_exist()
    return allowed


# What the web reads of a review: everything but the token.
READABLE = sorted(attribute.attr_name for attribute in Review.get_attributes().values())


# What lists show of a review that is read by its key; the queue's index carries no more of it.
LISTED = (
    "name", "status", "queue", "project_id", "project_name", "document_id", "workflow_id", "page_count", "reasons",
    "triage", "deadline", "holder", "holder_name", "lease_until", "created_at", "hidden", "postponed_until",
    "question_to", "question_to_name", "question_ended",
)  # fmt: skip


class ReviewDecision(DecidedFields):
    """A decision as it was taken, and when it was taken back.

    Access: by its review; by who took it (GSI1) and all of a site (GSI2), the newest first: flat copies for those.
    """

    reviewId = UnicodeAttribute()  # noqa: N815
    decisionId = UnicodeAttribute()  # noqa: N815
    decision = UnicodeAttribute()
    reviewer = UnicodeAttribute()
    reviewer_name = UnicodeAttribute()
    uri = UnicodeAttribute()
    sha256 = UnicodeAttribute()
    reason = UnicodeAttribute(null=True)
    decidedAt = UnicodeAttribute()  # noqa: N815
    undone_at = UnicodeAttribute(null=True)
    name = UnicodeAttribute(null=True)  # of the document
    status = UnicodeAttribute(null=True)  # approve, reject, split or undone
    document_id = UnicodeAttribute(null=True)
    workflow_id = UnicodeAttribute(null=True)
    holder = UnicodeAttribute(null=True)
    holder_name = UnicodeAttribute(null=True)
    created_at = UnicodeAttribute(null=True)
    deadline = UnicodeAttribute(null=True)  # until when it can be undone


class ReviewDraft(Item):
    """What one person has typed and not sent: survives a lost claim, an ended session, a restart of the run.

    ``values``: field → text as typed; ``confirmed``: field → the text that was looked at and found right;
    ``answers``: field → why it has no value. No one else
    reads it; its TTL lies after the review's deadline.
    """

    values = map_attribute()
    confirmed = map_attribute()
    answers = map_attribute()
    reason = UnicodeAttribute(null=True)  # to reject, as typed
    savedAt = UnicodeAttribute()  # noqa: N815


class ReviewWork(Item):
    """A review in one of a person's own lists.

    Access: by person and list, the oldest first (GSI1). What the review says holds: it may have moved on meanwhile.
    """

    document_id = UnicodeAttribute()
    created_at = UnicodeAttribute()


DRAFT_READABLE = ("values", "confirmed", "answers", "reason", "savedAt")
