"""The desk of one review: the page image on the left, its fields on the right, the decision below."""

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from config import clock
from config.errors import Conflict, NotFound, Tampered
from config.table import InvalidKey
from projects import access
from projects.http import DeskRequest, answer
from review import queries, ticket
from review.identity import Person, ReviewRef
from review.items.reviews import Review
from review.status import Decision, ReviewStatus
from review.views.sheet import sheet_of
from workflows import files, frozen
from workflows import queries as workflow_queries
from workflows.frozen import Run
from workflows.stages.base import FieldSpec
from workflows.storage import DocumentFiles

_DONE = {Decision.APPROVE: "approved", Decision.REJECT: "rejected"}


@dataclass(frozen=True)
class Draft:
    """What a person has typed and was not taken: it stays on the page. ``lost``: somebody else was first."""

    typed: Mapping[str, str] = field(default_factory=dict)
    errors: Mapping[str, str] = field(default_factory=dict)
    reason: str = ""
    reason_error: str = ""
    lost: bool = False
    notice: str = ""


@dataclass(frozen=True)
class Standing:
    """How the review stands for the person who looks. ``until``, ``at``: stored instants."""

    kind: str  # mine, free, held, decided, expired, orphaned or late
    who: str = ""
    at: str = ""
    did: str = ""
    can_undo: bool = False
    decision_id: str = ""

    @property
    def mine(self) -> bool:
        return self.kind == "mine"


def person_of(request: DeskRequest) -> Person:
    return Person(str(request.user.pk), request.user.get_full_name() or request.user.get_username())


def load_review(ref: ReviewRef) -> Review:
    """Raises: NotFound, also for an id that no key can hold."""
    try:
        return queries.review(ref)
    except (NotFound, InvalidKey) as error:
        raise NotFound("There is no such review here.") from error


def standing_of(review: Review, person: Person) -> Standing:
    now = clock.iso(clock.now())
    if review.decision_id:
        mine = review.reviewer == person.id
        in_time = review.status == ReviewStatus.DECIDED and (review.redeem_after or "") > now
        did = _DONE.get(Decision(review.decision or Decision.APPROVE), "")
        who, at = review.reviewer_name or "", review.reviewedAt or ""
        return Standing("decided", "You" if mine else who, at, did, mine and in_time, review.decision_id)
    if review.status in (ReviewStatus.EXPIRED, ReviewStatus.ORPHANED):
        return Standing(str(review.status).lower(), at=review.updated_at)
    if review.deadline <= now:
        return Standing("late", at=review.deadline)
    if review.status == ReviewStatus.CLAIMED:
        if review.holder == person.id:
            return Standing("mine", at=review.lease_until or "")
        if (review.lease_until or "") > now:
            return Standing("held", review.holder_name or "", review.lease_until or "")
    return Standing("free")


@require_safe
def show_review(request: DeskRequest, document_id: str, review_id: str) -> HttpResponse:
    access.check_can_view(request.user)
    ref = ReviewRef(request.site, document_id, review_id)
    fragment = "review/_viewer.html" if request.htmx.target == "page-viewer" else "review/_desk.html"
    return desk_page(request, ref, fragment=fragment)


def desk_page(
    request: DeskRequest,
    ref: ReviewRef,
    *,
    draft: Draft | None = None,
    status: int = 200,
    fragment: str = "review/_desk.html",
) -> HttpResponse:
    """Read the review and the result that it is about, and show both; no write.

    Raises:
        NotFound: no such review.
        Conflict: the stored result is no longer the one that this review asks about.

    """
    review, person, draft = load_review(ref), person_of(request), draft or Draft()
    run = queries.run_of(ref, review)
    result = _result(ref, review)
    fields = _fields(run, result)
    standing = standing_of(review, person)
    may_decide = standing.mine and access.can_review(request.user)
    shown = {one["name"]: one.get("value") for one in result["fields"]}
    context = {
        "review": review,
        "ref": ref,
        "standing": standing,
        "may_decide": may_decide,
        "draft": draft,
        "sheet": sheet_of(review, result, fields, page=_asked(request), typed=draft.typed, errors=draft.errors),
        "ticket": ticket.sign(ticket.ticket_for(review, fields, shown), ref, person.id) if may_decide else "",
    }
    return answer(request, "review/show.html", fragment, context, status=status)


def _result(ref: ReviewRef, review: Review) -> dict[str, Any]:
    store = DocumentFiles(ref.site, review.project_id, ref.document_id)
    try:
        body = store.read_pinned(files.result(review.workflow_id), review.result_sha256)
    except Tampered as error:
        raise Conflict("The result of this run has changed since the review was opened.") from error
    found: dict[str, Any] = json.loads(body)
    return found


def _fields(run: Run, result: Mapping[str, Any]) -> tuple[FieldSpec, ...]:
    """The schema with its policy as the result carries it; a result of an older version does not, its run does."""
    names = [one.name for one in dataclasses.fields(FieldSpec)]
    try:
        return tuple(FieldSpec(**{name: found[name] for name in names}) for found in result["fields"])
    except KeyError:
        document = workflow_queries.document_workflow(run.site, run.document_id, run.workflow_id)
        return frozen.from_json(document.settings).fields


def _asked(request: DeskRequest) -> int | None:
    """The page in the address, as people count, as an index."""
    text = request.GET.get("page", "")
    return int(text) - 1 if text.isdecimal() and 0 < len(text) < 7 else None
