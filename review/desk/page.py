"""The review page: page image on the left, fields on the right, decision below."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.http import HttpResponse
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_safe

from config.errors import Conflict, NotFound, Refused
from config.phrase import Phrase
from config.table import InvalidKey
from projects.documents.view_log import record_opening, record_view
from projects.schemas.labels.reading import get_labels
from projects.sites import access
from projects.sites.permissions import Permission
from projects.web.http import DeskRequest, read_number, render_answer
from review import queries
from review.changes import describe_rejection
from review.decide import drafts, separation
from review.decide.splits import may_split
from review.desk import forms, ticket
from review.desk.comparison import Comparison, Draft, compare_draft
from review.desk.copies import list_copies
from review.desk.field_form import FieldForm, box_of
from review.desk.page_tools import page_text, page_words
from review.desk.question import ask_question, read_corrections
from review.desk.queue import queue_url
from review.desk.undo_window import read_window
from review.desk.viewer_state import ViewerState, viewer_state_of
from review.identity import Person, ReviewRef, queue_id
from review.items.reviews import Review, ReviewDraft
from review.messages.queries import find_ended_question, find_open_question, find_skip, list_shown_messages
from review.quality.agreement import describe_quorum, read_quorum
from review.status import Bar
from workflows.definitions import versions
from workflows.runs.views.reading import passages
from workflows.stages.assessment.reason_words import tell_reason
from workflows.stages.base import FieldSpec
from workflows.stages.document_types import of_result

MISSING = Phrase("Review not found.")
_LONGEST_SEARCH = 100


def person_of(request: DeskRequest) -> Person:
    return Person(str(request.user.pk), request.user.get_full_name() or request.user.get_username())


def load_review(request: DeskRequest, ref: ReviewRef) -> Review:
    """Load a review. Raises: NotFound, also for invalid ids and for queues closed to the person."""
    try:
        review = queries.get_review(ref)
    except (NotFound, InvalidKey) as error:
        raise NotFound(MISSING) from error
    check_waits_for(request, queue_id(review.queue))
    return review


def check_waits_for(request: DeskRequest, queue: str) -> None:
    """Raise NotFound for a review in a queue closed to the person, as for one that does not exist."""
    try:
        access.check_admitted(request, queue)
    except NotFound as error:
        raise NotFound(MISSING) from error


def may_assign_over_claim(request: DeskRequest, standing: ViewerState) -> bool:
    """Return whether someone else's active claim does not keep this person, an admin, from assigning the review."""
    return standing.kind == "held" and access.can_review(request) and access.can(request, Permission.ADMIN)


def _may_assign(request: DeskRequest, standing: ViewerState) -> bool:
    is_open = standing.kind in {"assigned", "free"} and access.can_review(request)
    return is_open or may_assign_over_claim(request, standing)


@require_safe
def show_review(request: DeskRequest, document_id: str, review_id: str) -> HttpResponse:
    access.check_can_view(request)
    ref = ReviewRef(request.site, document_id, review_id)
    fragment = "review/desk/_viewer.html" if request.htmx.target == "page-viewer" else "review/desk/_desk.html"
    return record_view(request, desk_page(request, ref, fragment=fragment), document_id)


def desk_page(
    request: DeskRequest,
    ref: ReviewRef,
    *,
    draft: Draft | None = None,
    status: int = 200,
    fragment: str = "review/desk/_desk.html",
    done: str | None = None,
) -> HttpResponse:
    """Render the review with this person's draft and the result under review; writes nothing.

    ``done``: the signed receipt of the previous decision; None: taken from the URL.

    Raises:
        NotFound: no such review.
        Conflict: the stored result is no longer the one under review.

    """
    review, kept = load_open_review(request, ref)
    done = request.GET.get("done", "") if done is None else done
    context = _context(request, ref, review, (draft or Draft()).over(kept), done)
    return render_answer(request, "review/desk/show.html", fragment, context, status=status)


def open_in_place(request: DeskRequest, ref: ReviewRef, url: str, *, done: str) -> HttpResponse:
    """Respond to a decision with the next review's page, swapped in under its own ``url``.

    Raises: as ``desk_page``.
    """
    response = desk_page(request, ref, fragment="review/desk/_next.html", done=done)
    response["HX-Push-Url"] = url
    response["HX-Trigger"] = "decided"  # before the swap: typed text belongs to the document that is being left
    return record_opening(request, response, ref.document_id)


def _context(request: DeskRequest, ref: ReviewRef, review: Review, draft: Draft, done: str) -> dict[str, Any]:
    person = person_of(request)
    standing = viewer_state_of(review, person)
    has_edited = standing.open_to_me and separation.has_edited(ref, review.definition, person.id)
    if has_edited and not standing.mine:  # the decision would be refused: say so before the work
        standing = ViewerState("barred", barred_by=Bar.EDITED)
    labels = get_labels(ref.site)
    question = ask_question(ref, review, draft, standing, page=_page_index_of(request), labels=labels)
    sheet, decided, shown = question.sheet, question.decided, question.shown
    may_decide = standing.mine and access.can_review(request)
    wrong = forms.find_draft_errors(draft, question.ticket.in_language(labels)) if may_decide else {}
    if wrong:
        sheet = sheet.with_draft_errors(wrong)
    said = list_shown_messages(ref, review, person.id)
    found_text = _find(request, ref, review, sheet)
    unseen = [(name, sheet.asked[name]) for name in draft.unseen if name in sheet.asked]
    return {
        "reading_asked": _reading_of(request) if may_decide else "",
        "find": request.GET.get("find", "")[:_LONGEST_SEARCH],
        "found": found_text,
        "found_boxes": [box_of(box, sheet.shown) for box in found_text.boxes] if found_text and sheet.shown else [],
        "review": review,
        "about": _about(review, len(sheet.pages)),
        "ref": ref,
        "asks": _asks(review),
        "has_edited": has_edited,
        "copies": list_copies(request, review.copies or ()),
        "standing": standing,
        "messages_said": said,
        "question": find_open_question(review, said) if standing.asks_me else None,
        "answered": find_ended_question(review, said, person.id) if standing.open_to_me else None,
        "skipped": find_skip(said, person.id) if standing.open_to_me else None,
        "queue_id": queue_id(review.queue),
        "queue_url": queue_url(queue_id(review.queue)),
        "may_decide": may_decide,
        "may_assign": _may_assign(request, standing),
        "may_split": may_decide and may_split(ref, review, sum(bool(page.image) for page in sheet.pages)),
        "came_by_itself": may_decide and bool(review.claimed_after) and not draft.saved_at,
        "receipt": ticket.read_receipt(done, ref.site, person.id),
        "done": done,
        "undo_seconds": read_window(request),
        "draft": draft,
        "parts": decided.get("parts"),  # of a decision that split the document
        "decided_reason": describe_rejection(decided),
        "comparison": _comparison(standing, sheet.specs, shown, {**shown, **read_corrections(decided)}, draft),
        "sheet": sheet,
        "written_in": question.result.get("language", ""),
        "types": [
            {**one, "name": labels.name_type(str(one["id"]), str(one["name"]))}
            for one in of_result.list_type_choices(question.result)
        ],
        "type_error": draft.errors.get(of_result.KEY, ""),
        "unseen": unseen,
        "first_unseen": "" if draft.anyway or not unseen else unseen[0][0],
        "part": page_text.load_part(ref, review, sheet, found_text.text if found_text else ""),
        "sent_text": passages(sheet.text),
        "ticket": ticket.sign_ticket(question.ticket, ref, person.id) if may_decide else "",
    }


def _comparison(
    standing: ViewerState, fields: Sequence[FieldSpec], shown: Mapping[str, Any], holds: Mapping[str, Any], draft: Draft
) -> Comparison | None:
    """Compare after one's own decision only if another tab held different, unsent input."""
    if standing.open_to_me or standing.is_blind or standing.kind == "barred":
        return None
    found = compare_draft(fields, holds=holds, shown=shown, draft=draft)
    if standing.by_me and not (draft.lost and found and found.differences):
        return None
    return found


def _find(request: DeskRequest, ref: ReviewRef, review: Review, sheet: FieldForm) -> page_words.Found | None:
    """Return the search of ``?find=``; None if empty."""
    text = request.GET.get("find", "")[:_LONGEST_SEARCH]
    if not text.strip() or sheet.shown is None:
        return None
    return page_words.find_text(ref, review, text, shown=sheet.shown.index, count=len(sheet.pages))


def _about(review: Review, pages: int) -> str:
    """Return the document's project, or the external system that asks, and the number of pages."""
    project = review.project_name if review.project_name != review.caller else None
    count = (
        ngettext("%(count)s page", "%(count)s pages", pages) % {"count": pages} if pages or not review.caller else None
    )
    return " · ".join(
        one
        for one in (review.caller and gettext("Requested by %(name)s") % {"name": review.caller}, project, count)
        if one
    )


def render_lost_page(request: DeskRequest, ref: ReviewRef, notice: str = "") -> HttpResponse:
    """Respond 409 with the current state: who was first, what and when. Typed input is saved and stays on the page."""
    posted = request.POST.dict()
    _keep(request, ref, posted)
    draft = Draft(
        forms.read_typed_values(posted), reason=posted.get("reason", ""), lost=True, notice=notice,
        confirmed=forms.read_ticked_fields(posted) or None, answers=forms.read_chosen_answers(posted),
    )  # fmt: skip
    response = desk_page(request, ref, draft=draft, status=409)
    response["HX-Retarget"] = "#desk"  # the lease's own form swaps a smaller part
    response["HX-Reswap"] = "outerHTML"
    return response


def _keep(request: DeskRequest, ref: ReviewRef, posted: Mapping[str, str]) -> None:
    """Save the input of a request that lost a race if the review is open; else it is only on the response's page."""
    person = person_of(request)
    try:
        typed = forms.draft_of(posted, ticket.read_ticket(posted.get("ticket", ""), ref, person.id))
        if not typed.is_empty:
            drafts.keep_draft(ref, typed, by=person)
    except (Refused, Conflict):
        return


def load_open_review(request: DeskRequest, ref: ReviewRef) -> tuple[Review, ReviewDraft | None]:
    try:
        review, kept = queries.review_and_draft(ref, person_of(request).id)
    except (NotFound, InvalidKey) as error:
        raise NotFound(MISSING) from error
    check_waits_for(request, queue_id(review.queue))
    return review, kept


def _asks(review: Review) -> str:
    """Return why the workflow always asks here, or what a second review is for."""
    if ReviewRef("", review.document_id, review.reviewId).is_check:
        return Phrase("Second review: your answers are compared with the first decision and publish nothing.")
    if review.quorum:
        said = describe_quorum(read_quorum(review.quorum), len(review.votes or ()))
        return Phrase("%(quorum)s. Reviewers are not shown each other's answers.").fill(quorum=said)
    if review.votes and review.before_uri:
        return Phrase("%(reason)s. You decide.").fill(reason=tell_reason((review.reasons or [""])[0]))
    try:
        return tell_reason(versions.find_definition(review.definition).step(int(review.step)).asks)
    except NotFound:  # of another system
        return ""


def _page_index_of(request: DeskRequest) -> int | None:
    """Return the 0-based index of the URL's 1-based page."""
    number = read_number(request.GET.get("page"))
    return number - 1 if number else None


def _reading_of(request: DeskRequest) -> str:
    """Return the name of the reading that was just requested."""
    name = request.GET.get("reading", "")
    return name if name.isalnum() else ""
