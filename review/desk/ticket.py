"""The signed ticket of a review page, valid for one review and person, so that deciding needs no read."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from django.core import signing
from django.utils.translation import gettext

from config import clock
from config.errors import Refused
from config.phrase import Phrase
from projects.schemas.labels.reading import Labels, isolate
from review.identity import ReviewRef, queue_id
from review.items.reviews import Review
from review.status import SPLIT, Decision
from workflows.runs.items import Run
from workflows.stages.base import FieldSpec


@dataclass(frozen=True)
class Ticket:
    """One rendered page. ``decision_id`` is drawn per page, so that a form sent twice is one decision.

    ``shown``: field → value found, None for none; ``typed``: field → text shown instead, from an earlier draft.
    ``queue``: the review's queue id, empty for the site's own.
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
    before: Mapping[str, str | None] = field(default_factory=dict)  # corrections of the preceding approval
    earlier: Sequence[Mapping[str, Any]] = ()  # changes of the preceding approvals, as in their objects
    judges: Sequence[str] = ()  # who decided them, by id
    # Field → label of what must be checked; and what this person had confirmed when the page was rendered.
    asked: Mapping[str, str] = field(default_factory=dict)
    confirmed: tuple[str, ...] = ()
    unseen_allowed: bool = False
    # Field → why it has no value: after the preceding approval, and as shown by this page.
    answered: Mapping[str, str] = field(default_factory=dict)
    answers: Mapping[str, str] = field(default_factory=dict)
    lacking_allowed: bool = False
    reject_reasons: tuple[str, ...] = ()  # to choose from
    check_share: float = 0.0  # 0–1, share of decisions that are reviewed twice; not which
    is_blind: bool = False  # one of several blind decisions
    definition: str = ""  # the workflow's version, which says whether its reviews are separated from other work
    day_first: bool = True  # how the document writes dates
    today: str = ""  # ISO: the day the review was opened, on which its reasons are based
    # The document type as found, and as shown with its fields; None: it cannot be chosen here.
    type_found: str | None = None
    type_id: str | None = None
    type_names: Mapping[str, str] = field(default_factory=dict)  # of these two

    def in_language(self, labels: Labels) -> "Ticket":
        """Return the ticket with labels in the person's language, for messages only; what is stored keeps its own."""
        if not labels:
            return self
        names = {one.name: labels.name_field(one.name, one.label, self.type_id or "") for one in self.fields}
        return replace(self, fields=tuple(replace(one, label=isolate(names[one.name])) for one in self.fields))

    def run(self, ref: ReviewRef) -> Run:
        return Run(ref.site, self.project_id, ref.document_id, self.workflow_id)


def ticket_for(
    review: Review,
    fields: tuple[FieldSpec, ...],
    shown: Mapping[str, str | None],
    typed: Mapping[str, str],
    **more: Any,
) -> Ticket:
    """Sign a ticket. ``more``: its other entries by name."""
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
        definition=review.definition,
        today=clock.parse(review.created_at).date().isoformat(),
        **more,
    )


def sign_ticket(ticket: Ticket, ref: ReviewRef, user_id: str) -> str:
    # All values are plain; a deep copy took a thirtieth of the page's time.
    stored = vars(ticket) | {"fields": [vars(one) for one in ticket.fields]}
    return signing.dumps(stored, salt=_salt("ticket", ref, user_id), compress=True)


def read_ticket(text: str, ref: ReviewRef, user_id: str) -> Ticket:
    """Verify a ticket. Raises: Refused if it belongs to another review or person, or the signature is invalid."""
    try:
        data: dict[str, Any] = signing.loads(text, salt=_salt("ticket", ref, user_id))
    except signing.BadSignature as error:
        raise Refused(
            gettext("This page belongs to another review or user. Nothing was submitted; reopen the review.")
        ) from error
    fields = tuple(FieldSpec.from_stored(spec) for spec in data.pop("fields"))
    data["confirmed"], data["reject_reasons"] = tuple(data["confirmed"]), tuple(data["reject_reasons"])
    return Ticket(**data, fields=fields)


_DID = {Decision.APPROVE: Phrase("Approved"), SPLIT: Phrase("Split")}


@dataclass(frozen=True)
class Receipt:
    """Confirmation of a decision, shown by the queue; ``until``: stored instant until which it can be undone."""

    document_id: str
    review_id: str
    decision_id: str
    name: str
    decision: str
    until: str

    @property
    def did(self) -> str:
        return _DID.get(self.decision, Phrase("Rejected"))

    @property
    def can_undo(self) -> bool:
        return self.until > clock.iso(clock.now())


def sign_receipt(receipt: Receipt, site: str, user_id: str) -> str:
    return signing.dumps(asdict(receipt), salt=f"review.receipt:{site}:{user_id}", compress=True)


def read_receipt(text: str, site: str, user_id: str) -> Receipt | None:
    """Read a receipt from the URL; None if it is not this person's."""
    try:
        return Receipt(**signing.loads(text, salt=f"review.receipt:{site}:{user_id}"))
    except signing.BadSignature:
        return None


def _salt(what: str, ref: ReviewRef, user_id: str) -> str:
    return f"review.{what}:{ref.site}:{ref.document_id}:{ref.review_id}:{user_id}"
