"""What a review page carries so that deciding needs no read: signed, and good for one review and one person."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from django.core import signing

from config import clock
from config.errors import Refused
from review.identity import ReviewRef, queue_id
from review.items.reviews import Review
from review.status import SPLIT, Decision
from workflows.runs.items import Run
from workflows.stages.base import FieldSpec


@dataclass(frozen=True)
class Ticket:
    """One rendered page. ``decision_id`` is drawn per page, so that a form sent twice is one decision.

    ``shown``: field → the value that the machine found, None for nothing; ``typed``: field → the text that stood
    there instead, from an earlier draft. ``queue``: the id of the queue it waits in, empty for the site's own.
    """

    name: str
    queue: str
    project_id: str
    workflow_id: str
    version: int
    result_sha256: str
    decision_id: str
    fields: tuple[FieldSpec, ...]
    shown: Mapping[str, str | None]
    typed: Mapping[str, str] = field(default_factory=dict)
    before: Mapping[str, str | None] = field(default_factory=dict)  # corrections of the approval before this one
    earlier: Sequence[Mapping[str, Any]] = ()  # changes by the approvals before this one, as their objects have them
    judges: Sequence[str] = ()  # who decided them, by id
    # What has to be checked: field → its label; what of it this person had confirmed when the page was made.
    asked: Mapping[str, str] = field(default_factory=dict)
    confirmed: tuple[str, ...] = ()
    unseen_allowed: bool = False
    # Field → why it has no value: as the approval before left it, and as this page shows it.
    answered: Mapping[str, str] = field(default_factory=dict)
    answers: Mapping[str, str] = field(default_factory=dict)
    lacking_allowed: bool = False
    reject_reasons: tuple[str, ...] = ()  # to choose from
    check_share: float = 0.0  # 0–1, of decisions that are reviewed twice; which, it does not tell
    is_blind: bool = False  # one of several decisions, of which no one is shown another's
    day_first: bool = True  # how the document writes dates
    today: str = ""  # ISO: of the day that the review was opened, as its reasons are
    # The document's type as it was found, and as this page has it, whose fields it shows; None: it is not chosen here.
    type_found: str | None = None
    type_id: str | None = None
    type_names: Mapping[str, str] = field(default_factory=dict)  # of these two

    def run(self, ref: ReviewRef) -> Run:
        return Run(ref.site, self.project_id, ref.document_id, self.workflow_id)


def ticket_for(
    review: Review,
    fields: tuple[FieldSpec, ...],
    shown: Mapping[str, str | None],
    typed: Mapping[str, str],
    **more: Any,
) -> Ticket:
    """``more``: the ticket's other entries by name."""
    return Ticket(
        name=review.name,
        queue=queue_id(review.queue),
        project_id=review.project_id,
        workflow_id=review.workflow_id,
        version=int(review.version),
        result_sha256=review.result_sha256,
        decision_id=clock.new_ulid(),
        fields=fields,
        shown=shown,
        typed=dict(typed),
        unseen_allowed=bool(review.unseen_allowed),
        lacking_allowed=bool(review.lacking_allowed),
        reject_reasons=tuple(review.reject_reasons or ()),
        check_share=float(review.check_share or 0.0),
        is_blind=bool(review.quorum),
        today=clock.parse(review.created_at).date().isoformat(),
        **more,
    )


def sign_ticket(ticket: Ticket, ref: ReviewRef, user_id: str) -> str:
    # All of it is plain, and a copy took a thirtieth of the page.
    stored = vars(ticket) | {"fields": [vars(one) for one in ticket.fields]}
    return signing.dumps(stored, salt=_salt("ticket", ref, user_id), compress=True)


def read_ticket(text: str, ref: ReviewRef, user_id: str) -> Ticket:
    """Raises: Refused if it is not this review's, not this person's, or not ours."""
    try:
        data: dict[str, Any] = signing.loads(text, salt=_salt("ticket", ref, user_id))
    except signing.BadSignature as error:
        raise Refused(
            "This page belongs to another review or user. Nothing was submitted; reopen the review."
        ) from error
    fields = tuple(FieldSpec.from_stored(spec) for spec in data.pop("fields"))
    data["confirmed"], data["reject_reasons"] = tuple(data["confirmed"]), tuple(data["reject_reasons"])
    return Ticket(**data, fields=fields)


_DID = {Decision.APPROVE: "Approved", SPLIT: "Split"}


@dataclass(frozen=True)
class Receipt:
    """What the queue says after a decision; ``until``: stored instant up to which it can be taken back."""

    document_id: str
    review_id: str
    decision_id: str
    name: str
    decision: str
    until: str

    @property
    def did(self) -> str:
        return _DID.get(self.decision, "Rejected")

    @property
    def can_undo(self) -> bool:
        return self.until > clock.iso(clock.now())


def sign_receipt(receipt: Receipt, site: str, user_id: str) -> str:
    return signing.dumps(asdict(receipt), salt=f"review.receipt:{site}:{user_id}", compress=True)


def read_receipt(text: str, site: str, user_id: str) -> Receipt | None:
    """None if it is not this person's: an address is no place to refuse someone."""
    try:
        return Receipt(**signing.loads(text, salt=f"review.receipt:{site}:{user_id}"))
    except signing.BadSignature:
        return None


def _salt(what: str, ref: ReviewRef, user_id: str) -> str:
    return f"review.{what}:{ref.site}:{ref.document_id}:{ref.review_id}:{user_id}"
