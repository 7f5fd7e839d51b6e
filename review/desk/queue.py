"""The queue page: waiting reviews, nearest deadline first."""

import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from django.conf import settings
from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import get_language, ngettext
from django.views.decorators.http import require_safe

from config import clock
from config.phrase import Phrase
from projects.documents import queries as counter_queries
from projects.documents.items import HANDED_OVER
from projects.personal.access import projects_hidden_from
from projects.policies.gate import find_denied_documents, shows_counts
from projects.queues import queries as queue_queries
from projects.queues.items import is_checks
from projects.sites import access
from projects.web.http import DeskRequest, page_links, render_answer
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
from review.identity import queue_to_store
from review.items.reviews import Review
from review.messages.items import QuestionEnd
from review.status import PUT_OFF, ReviewStatus, Worklist
from workflows.stages.assessment.reason_words import tell_reason

SHOWN_REASONS = 3
HIDDEN_REASON = Phrase("Personal data: you cannot review this")
_DAYS_FROM = 48 * 60  # minutes
_QUESTIONS: Mapping[str, str] = {QuestionEnd.ANSWERED: Phrase("Answered"), QuestionEnd.UNANSWERED: Phrase("No answer")}


@dataclass(frozen=True)
class Row:
    """One line of the queue, ready to print: with 25 a page, conditions are cheaper here than in the template.

    ``about``: project and pages; ``reason``: the first, short; ``reasons``: some others; ``holder``: empty if free;
    ``taken``: held by someone else.
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
    back_at: str = ""  # when a postponed review returns
    asks_me: bool = False  # its question waits for the viewer's answer, until ``back_at``
    why_held: str = ""  # of a review held without a lease
    question: str = ""  # how the holder's question ended
    path: str = ""  # its name in forms: the document's and the review's id
    risk: str = ""  # a key of RISKS; empty if unknown
    amount: str = ""  # the document's total
    currency: str = ""
    worth: str = ""  # both, in words
    thumb: str = ""  # address of the first page's picture


@dataclass(frozen=True)
class Group:
    """Rows with similar due dates. ``words``: empty if the list has another order."""

    words: str
    icon: str
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Choice:
    """A queue that the person may open. ``waiting``: None if it may not be shown."""

    id: str
    name: str
    waiting: int | None
    archived: bool = False

    @property
    def url(self) -> str:
        return queue_url(self.id)


def shorten_reasons(review: Review) -> tuple[str, ...]:
    """Return why it waits, in the reader's language; the review itself shows each reason in full."""
    return tuple(tell_reason(one.partition("; ")[0]) for one in review.reasons or ())


def row_of(site: str, review: Review, *, root: str, user_id: str, now: str, soon: str, images: str = "") -> Row:
    """``root``: the reversed URL prefix of reviews; reversing 25 URLs costs half a millisecond.

    ``images``: the same prefix of page images. ``soon``: deadlines up to then are near.
    """
    reasons = shorten_reasons(review)
    held = bool(queries.holder_of(review, now=now))  # a lapsed claim is shown as none, also to its holder
    mine = held and review.holder == user_id
    ref = queries.row_ref(site, review)
    url = f"{root}{quote(ref.document_id, safe='')}/{quote(ref.review_id, safe='')}/"
    weighed = triage_of(review)
    return Row(
        url=url,
        name=review.name,
        about=_about(review.project_name or "", int(review.page_count or 0), get_language()),
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
        asks_me=queries.is_asked(review, user_id),
        why_held=_describe_hold(review, user_id),
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


def _describe_hold(review: Review, user_id: str) -> str:
    if review.status == ReviewStatus.ASKED:  # the index does not say of whom
        if queries.is_asked(review, user_id):
            alone = len(review.question_to or ()) == 1
            return Phrase("asked you") if alone else Phrase("asked you and others")
        return (
            Phrase("asked %(name)s").fill(name=review.question_to_name)
            if review.question_to_name
            else Phrase("asked a question")
        )
    return Phrase("postponed it") if review.status == ReviewStatus.POSTPONED else Phrase("assigned")


def describe_due(deadline: str, *, now: str) -> str:
    """Return the time left until a stored instant, in words; a script counts down from here.

    >>> describe_due("2026-11-23T12:38:00+00:00", now="2026-11-23T12:00:00+00:00")
    'Due in 38 min'
    >>> describe_due("2026-11-23T12:00:00+00:00", now="2026-11-23T14:30:00+00:00")
    'Overdue by 2 h'
    """
    seconds = (clock.parse(deadline) - clock.parse(now)).total_seconds()
    minutes = max(int(abs(seconds) // 60), 1)
    amount = Phrase("%(minutes)s min").fill(minutes=minutes)
    if minutes >= 60:
        amount = Phrase("%(hours)s h").fill(hours=minutes // 60)
    if minutes >= _DAYS_FROM:
        amount = Phrase("%(days)s d").fill(days=minutes // 1440)
    words = Phrase("Due in %(time)s") if seconds > 0 else Phrase("Overdue by %(time)s")
    return words.fill(time=amount)


@functools.lru_cache(maxsize=1024)
def _about(project: str, pages: int, _language: str | None) -> str:
    words = (project, ngettext("%(count)s page", "%(count)s pages", pages) % {"count": pages} if pages else "")
    return "".join(f"{word} · " for word in words if word)


def queue_url(queue_id: str) -> str:
    """Return a queue's URL; an empty id is the site's own queue."""
    return reverse("review:show-queue", args=[queue_id]) if queue_id else reverse("review:queue")


@require_safe
def list_queues(request: DeskRequest) -> HttpResponse:
    """Show the queues open to this person and how many reviews wait in each; ``here``: the current one.

    The queue page does not count them itself, since it reloads after each decision.
    """
    access.check_can_view(request)
    found = [one for one in queue_queries.first_queues(request.site) if access.is_admitted(request, one)]
    waiting = counter_queries.count_waiting_by_queue(request.site) if shows_counts(request) else None
    choices = [
        Choice(one_id, name, waiting.get(queue_to_store(one_id), 0) if waiting is not None else None, archived)
        for one_id, name, archived in [
            ("", Phrase("Review"), False),
            *((one.id, one.name, one.is_archived) for one in found),
        ]
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
    known = redact_reviews(request, page.rows)  # before the search, which must not find hidden text
    rows = write_rows(request, filters.choose(known, user_id=user_id) if filters.chosen else known)
    free = [row for row in rows if not row.late and (row.mine or not row.holder)]
    url = queue_url(queue_id)
    context = {
        "view": Worklist.CHECKS if is_checks(queue_id) else Worklist.TEAM,
        "rows": rows,
        "groups": group_rows(rows, by_due=not filters.sort),
        "can_select": access.can_review(request) and not is_checks(queue_id),
        "reasons": count_reasons(known) if filters.chosen else None,
        "first": free[0] if free else None,
        # Others hold all of them: show whose claim ends first.
        "soonest": min((row for row in rows if row.held_until), key=lambda row: row.held_until, default=None),
        **page_links(request, page.next, f"{url}?{filters.query}" if filters.chosen else url),
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


def redact_reviews(request: DeskRequest, reviews: Iterable[Review]) -> list[Review]:
    """Drop reviews hidden by the access policy; remove reasons, amounts and images that may be personal."""
    rows, closed = list(reviews), projects_hidden_from(request)
    denied = find_denied_documents(request, [one.document_id for one in rows])
    found = [one for one in rows if one.document_id not in denied]
    for one in found:
        if one.project_id in closed:
            one.reasons, one.triage = [HIDDEN_REASON], None
    return found


def rows_of(request: DeskRequest, reviews: Iterable[Review]) -> list[Row]:
    return write_rows(request, redact_reviews(request, reviews))


def write_rows(request: DeskRequest, shown: Iterable[Review]) -> list[Row]:
    """``shown``: reviews after ``redact_reviews``."""
    now, root = clock.iso(clock.now()), reverse("review:queue")
    images = reverse("workflows:page-image", args=["p", "d", 0]).removesuffix("p/d/pages/0.png")
    soon = clock.iso(clock.in_seconds(settings.REVIEW_ESCALATE_SECONDS))
    user_id = str(request.user.pk)
    return [row_of(request.site, one, root=root, user_id=user_id, now=now, soon=soon, images=images) for one in shown]


def group_rows(rows: Sequence[Row], *, by_due: bool) -> list[Group]:
    """Group rows by due date, keeping their order; one group if the list has another order."""
    if not by_due:
        return [Group("", "", tuple(rows))] if rows else []
    hour = clock.iso(clock.in_seconds(3600))
    kinds = (
        (Phrase("Overdue"), "alert", [row for row in rows if row.late]),
        (Phrase("Due within 1 hour"), "clock", [row for row in rows if not row.late and row.deadline <= hour]),
        (Phrase("Due later"), "calendar", [row for row in rows if not row.late and row.deadline > hour]),
    )
    return [Group(words, icon, tuple(of_kind)) for words, icon, of_kind in kinds if of_kind]


@require_safe
def list_reasons(request: DeskRequest) -> HttpResponse:
    """Count the reasons of the most urgent reviews of ``?queue=``; loaded after the page, one Query."""
    access.check_can_view(request)
    queue = request.GET.get("queue", "")
    access.check_admitted(request, queue)
    known = redact_reviews(request, queries.list_ahead(request.site, queue, limit=MOST_READ).rows)
    context = {"reasons": count_reasons(known), "cleared_url": queue_url(queue)}
    return render_answer(request, "review/desk/reasons.html", "review/desk/_reasons.html", context)
