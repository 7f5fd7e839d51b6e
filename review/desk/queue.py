"""The queue: what waits for a person, the nearest deadline first."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from django.conf import settings
from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from config import clock
from projects.documents import queries as counter_queries
from projects.personal.access import projects_hidden_from
from projects.queues import queries as queue_queries
from projects.queues.items import is_checks
from projects.sites import access
from projects.web.http import DeskRequest, render_answer
from review import queries
from review.desk import ticket
from review.desk.queue_filters import (
    AGES,
    ASSIGNEES,
    DUE,
    MOST_READ,
    REASONS,
    RISKS,
    SORTS,
    Filters,
    count_reasons,
    list_projects,
    triage_of,
)
from review.identity import HANDED_OVER, queue_to_store
from review.items.reviews import Review
from review.messages.items import QuestionEnd
from review.status import PUT_OFF, ReviewStatus, Worklist

SHOWN_REASONS = 3
HIDDEN_REASON = "Personal data: you cannot review this"
_DAYS_FROM = 48 * 60  # minutes
_QUESTIONS: Mapping[str, str] = {QuestionEnd.ANSWERED: "Answered", QuestionEnd.UNANSWERED: "No answer"}


@dataclass(frozen=True)
class Row:
    """One line of the queue, in the words it shows: 25 times a page a template's questions cost more than a view's.

    ``about``: project and pages; ``reason``: the first in short, ``reasons``: some of the others; ``holder`` is empty
    if no one holds it now, ``taken`` where that is someone else.
    """

    url: str
    name: str
    about: str
    reason: str
    reasons: tuple[str, ...]
    more: int
    deadline: str
    due: str
    late: bool
    soon: bool
    since: str
    holder: str
    mine: bool
    taken: bool
    held_until: str
    back_at: str = ""  # when it comes back, of one that was put off
    why_held: str = ""  # of one that is held without a lease
    question: str = ""  # what became of the one that its holder asked
    path: str = ""  # as a form names it: the document's and the review's id
    risk: str = ""  # a key of RISKS; empty if no one knows
    amount: str = ""  # the document's total
    currency: str = ""
    worth: str = ""  # both, in words
    thumb: str = ""  # address of the first page's picture


@dataclass(frozen=True)
class Group:
    """Rows that are due alike. ``words``: empty if the list is in another order."""

    words: str
    icon: str
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Choice:
    """A queue that may be opened."""

    id: str
    name: str
    waiting: int
    archived: bool = False

    @property
    def url(self) -> str:
        return queue_url(self.id)


def row_of(site: str, review: Review, *, root: str, user_id: str, now: str, soon: str, images: str = "") -> Row:
    """``root``: the reversed URL that reviews lie under; reversing 25 of them costs a page half a millisecond.

    ``images``: as well of page images. ``soon``: deadlines up to then are near.
    """
    reasons = tuple(one.partition("; ")[0] for one in review.reasons or ())  # the review itself says them whole
    held = bool(queries.holder_of(review, now=now))  # a lapsed claim looks like none, also to its holder
    mine = held and review.holder == user_id
    ref = queries.row_ref(site, review)
    url = f"{root}{quote(ref.document_id, safe='')}/{quote(ref.review_id, safe='')}/"
    weighed = triage_of(review)
    return Row(
        url=url,
        name=review.name,
        about=_about(review.project_name or "", int(review.page_count or 0)),
        reason=reasons[0] if reasons else "",
        reasons=reasons[1:SHOWN_REASONS],
        more=max(len(reasons) - SHOWN_REASONS, 0),
        deadline=review.deadline,
        due=describe_due(review.deadline, now=now) if review.deadline <= soon else "",
        late=review.deadline <= now,
        soon=now < review.deadline <= soon,
        since=review.created_at,
        holder=(review.holder_name or "") if held or review.status in PUT_OFF else "",
        mine=mine,
        taken=held and not mine,
        held_until=(review.lease_until or "") if held else "",
        back_at=queries.postponed_until(review) if review.status in PUT_OFF else "",
        why_held=_describe_hold(review),
        question=_QUESTIONS.get(review.question_ended or "", "") if review.status == ReviewStatus.ASSIGNED else "",
        path=ref.path,
        risk=weighed.level if review.triage else "",
        amount="" if weighed.amount is None else f"{weighed.amount:.2f}",
        currency=weighed.currency,
        worth="" if weighed.amount is None else f"{weighed.amount:,.2f} {weighed.currency}".strip(),
        thumb=_thumb_url(review, url, images) if weighed.picture else "",
    )


def _thumb_url(review: Review, url: str, images: str) -> str:
    if review.document_id.startswith(HANDED_OVER):
        return f"{url}pages/0/?size=thumb"
    return f"{images}{quote(review.project_id, safe='')}/{quote(review.document_id, safe='')}/pages/0.png?size=thumb"


def _describe_hold(review: Review) -> str:
    if review.status == ReviewStatus.ASKED:  # the index does not say whom
        return f"asked {review.question_to_name}" if review.question_to_name else "asked a question"
    return "postponed it" if review.status == ReviewStatus.POSTPONED else "assigned"


def describe_due(deadline: str, *, now: str) -> str:
    """How long it still is, of stored instants; the script counts on from here.

    >>> describe_due("2026-11-23T12:38:00+00:00", now="2026-11-23T12:00:00+00:00")
    'Due in 38 min'
    >>> describe_due("2026-11-23T12:00:00+00:00", now="2026-11-23T14:30:00+00:00")
    'Overdue by 2 h'
    """
    seconds = (clock.parse(deadline) - clock.parse(now)).total_seconds()
    minutes = max(int(abs(seconds) // 60), 1)
    amount = f"{minutes} min" if minutes < 60 else f"{minutes // 60} h"
    if minutes >= _DAYS_FROM:
        amount = f"{minutes // 1440} d"
    return f"Due in {amount}" if seconds > 0 else f"Overdue by {amount}"


def _about(project: str, pages: int) -> str:
    words = (project, f"{pages} page{'' if pages == 1 else 's'}" if pages else "")
    return "".join(f"{word} · " for word in words if word)


def queue_url(queue_id: str) -> str:
    """The page of a queue; an empty id is the site's own."""
    return reverse("review:show-queue", args=[queue_id]) if queue_id else reverse("review:queue")


@require_safe
def list_queues(request: DeskRequest) -> HttpResponse:
    """The queues that this person may look into, and how many wait in each; ``here``: the one that the page shows.

    Not counted by the queue's own page, which is asked for again after each decision.
    """
    access.check_can_view(request)
    found = [one for one in queue_queries.first_queues(request.site) if access.is_admitted(request, one)]
    waiting = counter_queries.count_waiting_by_queue(request.site)
    choices = [
        Choice(one_id, name, waiting.get(queue_to_store(one_id), 0), archived)
        for one_id, name, archived in [("", "Review", False), *((one.id, one.name, one.is_archived) for one in found)]
    ]
    context = {"queues": choices, "here": request.GET.get("here", "")}
    return render_answer(request, "review/desk/queues.html", "review/desk/_queues.html", context)


@require_safe
def show_queue(request: DeskRequest, queue_id: str = "") -> HttpResponse:
    access.check_can_view(request)
    queue = access.check_admitted(request, queue_id)
    cursor, user_id = request.GET.get("after"), str(request.user.pk)
    filters = Filters.from_query(request.GET)
    if filters.chosen:
        page = queries.list_ahead(request.site, queue_id, limit=MOST_READ, cursor=cursor)
    else:
        page = queries.list_queue(request.site, queue_id, cursor=cursor)
    known = hide_reasons(request, page.rows)  # before what is searched for is looked up in them
    rows = rows_of(request, filters.choose(known, user_id=user_id) if filters.chosen else known)
    free = [row for row in rows if not row.late and (row.mine or not row.holder)]
    url = queue_url(queue_id)
    context = {
        "view": Worklist.CHECKS if is_checks(queue_id) else Worklist.TEAM,
        "rows": rows,
        "groups": group_rows(rows, by_due=not filters.sort),
        "can_select": access.can_review(request) and not is_checks(queue_id),
        "reasons": count_reasons(known) if filters.chosen else None,
        "first": free[0] if free else None,
        # All that wait are with others: whose claim ends first.
        "soonest": min((row for row in rows if row.held_until), key=lambda row: row.held_until, default=None),
        "next_cursor": page.next,
        "is_first": not cursor,
        "first_url": f"{url}?{filters.query}" if filters.chosen else url,
        "joiner": "&" if filters.chosen else "?",
        "page_size": MOST_READ if filters.chosen else settings.PAGE_SIZE,
        "filters": filters,
        "cleared_url": url,
        "projects": list_projects(page.rows, filters.project),
        "choices": {
            "due": DUE.items(),
            "assignee": ASSIGNEES.items(),
            "sort": SORTS.items(),
            "reason": REASONS.items(),
            "risk": RISKS.items(),
            "age": AGES.items(),
        },
        "queue": queue,
        "queue_id": queue_id,
        "receipt": ticket.read_receipt(request.GET.get("done", ""), request.site, user_id),
        "done": request.GET.get("done", ""),
    }
    return render_answer(request, "review/desk/queue.html", "review/desk/_queue.html", context)


def hide_reasons(request: DeskRequest, reviews: Iterable[Review]) -> list[Review]:
    """The same without reasons, amount and picture of those that may have personal values."""
    closed, found = projects_hidden_from(request), list(reviews)
    for one in found:
        if one.project_id in closed:
            one.reasons, one.triage = [HIDDEN_REASON], None
    return found


def rows_of(request: DeskRequest, reviews: Iterable[Review]) -> list[Row]:
    now, root = clock.iso(clock.now()), reverse("review:queue")
    images = reverse("workflows:page-image", args=["p", "d", 0]).removesuffix("p/d/pages/0.png")
    soon = clock.iso(clock.in_seconds(settings.REVIEW_ESCALATE_SECONDS))
    user_id = str(request.user.pk)
    shown = hide_reasons(request, reviews)
    return [row_of(request.site, one, root=root, user_id=user_id, now=now, soon=soon, images=images) for one in shown]


def group_rows(rows: Sequence[Row], *, by_due: bool) -> list[Group]:
    """As they are due, in the order in which they stand; all of them together if they stand in another order."""
    if not by_due:
        return [Group("", "", tuple(rows))] if rows else []
    hour = clock.iso(clock.in_seconds(3600))
    kinds = (
        ("Overdue", "alert", [row for row in rows if row.late]),
        ("Due within 1 hour", "clock", [row for row in rows if not row.late and row.deadline <= hour]),
        ("Due later", "calendar", [row for row in rows if not row.late and row.deadline > hour]),
    )
    return [Group(words, icon, tuple(of_kind)) for words, icon, of_kind in kinds if of_kind]


@require_safe
def list_reasons(request: DeskRequest) -> HttpResponse:
    """Why the most urgent of ``?queue=`` wait, and how many for each reason: asked for after the page, by one Query."""
    access.check_can_view(request)
    queue = request.GET.get("queue", "")
    access.check_admitted(request, queue)
    known = hide_reasons(request, queries.list_ahead(request.site, queue, limit=MOST_READ).rows)
    context = {"reasons": count_reasons(known), "cleared_url": queue_url(queue)}
    return render_answer(request, "review/desk/reasons.html", "review/desk/_reasons.html", context)
