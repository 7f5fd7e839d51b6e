"""Items of reviews, decisions and drafts. The task token is on the review's item but in none of these classes."""

from pynamodb.attributes import BooleanAttribute, ListAttribute, NumberAttribute, UnicodeAttribute, UnicodeSetAttribute
from pynamodb.expressions.condition import Condition

from config import table
from config.due.items import DueWork
from config.item import Item, map_attribute
from review.items.results import ReviewResult
from review.status import PUT_OFF, Move
from workflows.runs.items import DecidedFields


class Review(DueWork):
    """A review of one result of one run.

    Access: by id; by queue and deadline (GSI1, while undecided); due work (GSI2, while something is pending).
    """

    due_entity = table.REVIEW
    result: ReviewResult | None = None  # a row of its own, where it was read with this one
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
    triage = UnicodeAttribute(null=True)  # for sorting and filtering lists: workflows.stages.assessment.triage
    unseen_allowed = BooleanAttribute(null=True)  # pinned by the run: unchecked fields may be approved
    deadline = UnicodeAttribute()
    result_sha256 = UnicodeAttribute()
    last_transition = UnicodeAttribute()  # the run's last transition when it paused; it stays while the run waits
    step = NumberAttribute()
    definition = UnicodeAttribute()
    version = NumberAttribute()  # raised by each claim and takeover, never by a renewal
    holder = UnicodeAttribute(null=True)
    holder_name = UnicodeAttribute(null=True)
    lease_until = UnicodeAttribute(null=True)  # the holder's, projected for the queue; workers lease no reviews
    claimed_at = UnicodeAttribute(null=True)  # by the holder, or who decided it
    postponed_until = UnicodeAttribute(null=True)  # by its last holder, who is still named
    # While it waits for an answer, with ``postponed_until``; its holder is who asked:
    question_id = UnicodeAttribute(null=True)
    question_to = UnicodeSetAttribute(null=True)  # ids of people, each of whom may answer
    question_to_name = UnicodeAttribute(null=True)  # of the person, or of the group
    question_ended = UnicodeAttribute(null=True)  # how the last question ended: answered or unanswered
    messages = NumberAttribute(null=True)  # their number, so that a review without any is read by one call
    page_readings = UnicodeSetAttribute(null=True)  # names of readings of its pages by other OCR models
    passed_by = UnicodeSetAttribute(null=True)  # ids of people who released it; it is not offered to them next
    claimed_after = UnicodeAttribute(null=True)  # the decision that automatically claimed this review as the next
    claimed_ahead = UnicodeAttribute(null=True)  # claimed by this one's decision: the document's and the review's id
    decision_id = UnicodeAttribute(null=True)
    decision = UnicodeAttribute(null=True)
    decision_uri = UnicodeAttribute(null=True)
    decision_sha256 = UnicodeAttribute(null=True)
    redeem_after = UnicodeAttribute(null=True)
    escalated_at = UnicodeAttribute(null=True)  # its deadline is near, and its reviewers were told
    drives = NumberAttribute(null=True)  # how often a repair retried the redemption
    hidden = map_attribute(null=True)  # while the document is deleted
    lacking_allowed = BooleanAttribute(null=True)  # pinned by the run: a required field may be empty for a reason
    reject_reasons: ListAttribute[str] = ListAttribute(null=True)  # to choose from, pinned by the run
    check_share = NumberAttribute(null=True)  # pinned by the run: share of decided reviews that are reviewed twice, 0–1
    copies: ListAttribute[str] = ListAttribute(null=True)  # kind#id of earlier documents that are the same
    barred = map_attribute(null=True)  # user id → why this person may not decide it: a review.status.Bar
    quorum = UnicodeAttribute(null=True)  # "2/3" while several decide blindly: two of at most three have to agree
    votes: ListAttribute[str] = ListAttribute(null=True)  # each counted blind decision: id#SHA-256
    # Of a second approval: the decision that was applied before it.
    before_uri = UnicodeAttribute(null=True)
    before_sha256 = UnicodeAttribute(null=True)
    # Of a seeded check: the test set, and the known answers there.
    seed_of = UnicodeAttribute(null=True)
    seed_sha256 = UnicodeAttribute(null=True)
    # Only of reviews that another system requested:
    caller = UnicodeAttribute(null=True)  # the requester, as the caller names it
    asked_by = UnicodeAttribute(null=True)  # the namespace of the caller's question ids
    caller_id = UnicodeAttribute(null=True)  # the caller's own id of the question
    question_sha256 = UnicodeAttribute(null=True)
    execution_arn = UnicodeAttribute(null=True)  # of the caller's waiting execution, if known
    delivery = UnicodeAttribute(null=True)  # outcome of delivering the answer (review.status.Delivery)
    created_at = UnicodeAttribute()
    updated_at = UnicodeAttribute()


def may_move(move: Move) -> Condition:
    """Condition: the review's status is a source of ``move``."""
    allowed: Condition = Review.status.is_in(*move.sources)
    return allowed


def stays_postponed(postponed: bool) -> Condition:
    """Condition: its postponement has not changed, since counters depend on it."""
    put_off: Condition = Review.status.is_in(*PUT_OFF)
    same: Condition = put_off if postponed else ~put_off
    return same


def was_not_passed_by(user_id: str) -> Condition:
    allowed: Condition = Review.passed_by.does_not_exist() | ~Review.passed_by.contains(user_id)
    return allowed


def may_be_decided_by(user_id: str) -> Condition:
    allowed: Condition = Review.barred[user_id].does_not_exist()
    return allowed


# Attributes that the web reads: all but the token.
READABLE = sorted(attribute.attr_name for attribute in Review.get_attributes().values())


# Attributes of a review that lists show if it is read by its key; the queue's index has no more.
LISTED = (
    "name", "status", "queue", "project_id", "project_name", "document_id", "workflow_id", "page_count", "reasons",
    "triage", "deadline", "holder", "holder_name", "lease_until", "created_at", "hidden", "postponed_until",
    "question_to", "question_to_name", "question_ended",
)  # fmt: skip


class ReviewDecision(DecidedFields):
    """A decision, and when it was undone.

    Access: by review; by person (GSI1) and by site (GSI2), newest first, with flat copies of attributes.
    """

    reviewId = UnicodeAttribute()  # noqa: N815
    decisionId = UnicodeAttribute()  # noqa: N815
    decision = UnicodeAttribute()
    reviewer = UnicodeAttribute()
    reviewer_name = UnicodeAttribute()
    uri = UnicodeAttribute()
    sha256 = UnicodeAttribute()
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
    """One person's unsent input; it survives a lost claim, an ended session and a restart of the run.

    ``values``: field → text as typed; ``confirmed``: field → text confirmed as right; ``answers``: field → why it
    has no value. No one else reads it; its TTL is later than the review's deadline.
    """

    values = map_attribute()
    confirmed = map_attribute()
    answers = map_attribute()
    reason = UnicodeAttribute(null=True)  # to reject, as typed
    savedAt = UnicodeAttribute()  # noqa: N815


class ReviewWork(Item):
    """A review in a personal work list.

    Access: by person and list, oldest first (GSI1); all of a site by list and person (GSI2). The review is
    authoritative: it may have moved on meanwhile.
    """

    document_id = UnicodeAttribute()
    created_at = UnicodeAttribute()


DRAFT_READABLE = ("values", "confirmed", "answers", "reason", "savedAt")
