"""Splitting a document: the reviewer marks first pages, and each part becomes a document with its own run."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import HttpResponse
from django.views.decorators.http import require_http_methods

from config.errors import Conflict, Refused
from config.phrase import Phrase, Sentence
from projects.schemas.queries import ClassificationRow, all_classifications
from projects.sites import access
from projects.web.http import DeskRequest, read_number, render_answer
from review.decide import decisions
from review.decide.decisions import Verdict
from review.decide.splits import check_may_split
from review.decide.tasks import enqueue_redeem
from review.desk import ticket
from review.desk.comparison import Draft
from review.desk.decisions import answer_decision
from review.desk.field_form import PageSheet
from review.desk.page import load_open_review, person_of, render_lost_page
from review.desk.question import ask_question
from review.desk.ticket import Ticket
from review.desk.undo_window import read_window
from review.desk.viewer_state import viewer_state_of
from review.identity import ReviewRef, queue_to_store
from review.items.reviews import Review
from review.status import SPLIT, Decision
from workflows.intake.containers.page_ranges import PageRange, check_ranges

STARTS = "starts"  # name in the form: pages, from 1, at which a document starts
TYPE = "type-"  # name in the form: the type of the document that starts there
_NO_TYPE = Phrase("This document type no longer exists. Select another.")
_REASON = Sentence("Split into %(count)s documents")


@dataclass(frozen=True)
class SplitPage:
    """A page on the form. ``number``: 1-based."""

    number: int
    thumb: str
    starts: bool
    chosen: str  # the type of the document that starts here


def plan_verdict(ref: ReviewRef, carried: Ticket, parts: Sequence[PageRange], pages: int) -> Verdict:
    """Build the rejection that splits the document. Raises: Refused if ``parts`` or their types are invalid."""
    check_ranges(parts, pages)
    known = {one.id for one in _list_types(ref.site)}
    if any(one.document_type and one.document_type not in known for one in parts):
        raise Refused(_NO_TYPE)
    return Verdict(
        decision_id=carried.decision_id,
        decision=Decision.REJECT,
        version=carried.version,
        result_sha256=carried.result_sha256,
        corrections=dict(carried.before),
        reason="; ".join(one.words.capitalize() for one in parts),
        reject_reason=_REASON.fill(count=len(parts)),
        earlier=carried.earlier,
        judges=carried.judges,
        asked=carried.asked,
        is_blind=carried.is_blind,
        definition=carried.definition,
        name=carried.name,
        queue=queue_to_store(carried.queue),
        parts=parts,
    )


@require_http_methods(["GET", "POST"])
def split(request: DeskRequest, document_id: str, review_id: str) -> HttpResponse:
    access.check_can_review(request)
    ref, person = ReviewRef(request.site, document_id, review_id), person_of(request)
    review, kept = load_open_review(request, ref)
    state = viewer_state_of(review, person)
    if not state.mine and request.method == "GET":
        return render_lost_page(request, ref)
    question = ask_question(ref, review, Draft().over(kept), state)
    pages = question.sheet.pages
    check_may_split(ref, review, len(pages))
    if request.method == "GET":
        return _ask(request, ref, review, pages, ticket.sign_ticket(question.ticket, ref, person.id))
    carried = ticket.read_ticket(request.POST.get("ticket", ""), ref, person.id)
    try:
        verdict = plan_verdict(ref, carried, read_parts(request, len(pages)), len(pages))
    except Refused as error:
        return _ask(request, ref, review, pages, request.POST["ticket"], error=str(error))
    window = read_window(request)
    try:
        until = decisions.decide_review(ref, carried.run(ref), verdict, by=person, undo_seconds=window)
    except Conflict:
        return render_lost_page(request, ref)
    enqueue_redeem(ref, carried.decision_id, delay=window)
    return answer_decision(request, ref, carried, SPLIT, until, wants_next=True)


def _ask(
    request: DeskRequest, ref: ReviewRef, review: Review, pages: Sequence[PageSheet], signed: str, *, error: str = ""
) -> HttpResponse:
    marked = set(request.POST.getlist(STARTS))
    context = {
        "review": review,
        "ref": ref,
        "ticket": signed,
        "error": error,
        "types": _list_types(ref.site),
        "pages": [
            SplitPage(
                one.index + 1,
                one.thumb if one.image else "",
                str(one.index + 1) in marked,
                request.POST.get(f"{TYPE}{one.index + 1}", ""),
            )
            for one in pages
        ],
        "undo_seconds": read_window(request),
    }
    return render_answer(request, "review/desk/split.html", None, context, status=422 if error else 200)


def _list_types(site: str) -> list[ClassificationRow]:
    return [one for one in all_classifications(site) if not one.archived]


def read_parts(request: DeskRequest, pages: int) -> list[PageRange]:
    """Read the marked first pages; page 1 always starts a document."""
    marked = {read_number(one) for one in request.POST.getlist(STARTS)}
    starts = [1, *(number for number in range(2, pages + 1) if number in marked)]
    ends = [*(one - 1 for one in starts[1:]), pages]
    return [
        PageRange(first, last, request.POST.get(f"{TYPE}{first}", "")) for first, last in zip(starts, ends, strict=True)
    ]
