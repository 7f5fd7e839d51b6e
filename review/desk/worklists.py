"""Personal work lists beside the queue, and the size of every list."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.conf import settings
from django.http import HttpResponse
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from config import clock
from config.item import Page
from config.phrase import Figure, Phrase
from projects.documents import queries as counter_queries
from projects.documents.queries import Queued
from projects.policies.gate import shows_counts
from projects.queues import visibility
from projects.queues.items import checks_of, queue_of_admission
from projects.sites import access
from projects.web import days
from projects.web.http import DeskRequest, page_links, render_answer
from review import queries
from review.desk import saved_views
from review.desk.queue import group_rows, queue_url, rows_of
from review.identity import queue_to_store
from review.items.reviews import Review, ReviewDecision
from review.quality import queries as quality
from review.status import SPLIT, Worklist

_MOST_COUNTED = 100
_HEADS = {
    Worklist.MINE: (Phrase("My work"), Phrase("Reviews you claimed, asked about, or were assigned.")),
    Worklist.ASKED: (Phrase("Asked of me"), Phrase("Questions that wait for your answer.")),
    Worklist.POSTPONED: (
        Phrase("Postponed"),
        Phrase("Postponed reviews and open questions, the next to return first."),
    ),
}
_MADE = {
    "approve": ("good", "check", Phrase("Approved")),
    "reject": ("bad", "x", Phrase("Rejected")),
    SPLIT: ("", "split", Phrase("Split")),
    "undone": ("", "undo", Phrase("Undone")),
}


@dataclass(frozen=True)
class View:
    """A list to open. ``number``: its size, in words; empty if it may not be shown."""

    worklist: Worklist
    url: str
    words: str
    icon: str
    number: str


@dataclass(frozen=True)
class DecidedRow:
    url: str
    name: str
    tone: str
    icon: str
    words: str
    at: str


@require_safe
def list_views(request: DeskRequest) -> HttpResponse:
    """``queue``: of the team list; ``here``: the current list; ``query``: its filters."""
    access.check_can_view(request)
    queue = request.GET.get("queue", "")
    access.check_admitted(request, queue)
    person_id = str(request.user.pk)
    team, counts = queue_of_admission(queue), counter_queries.count_by_queue(request.site)
    put_off = reverse("review:list-postponed") + (f"?{urlencode({'queue': queue})}" if queue else "")
    made = queries.list_decisions_since(request.site, person_id, _today(), limit=_MOST_COUNTED)
    decided = Page([one for one in made.rows if one.status != "undone"], made.next)
    mine, asked = _list_own(request, Worklist.MINE), _list_own(request, Worklist.ASKED)
    queued, in_team = (counts.get(queue_to_store(one), Queued()) for one in (queue, team))
    open_url = f"{queue_url(queue)}?{request.GET.get('query', '')}"
    saved = saved_views.list_choices(request.site, person_id, open_url=open_url)
    views = [
        View(Worklist.TEAM, queue_url(team), Phrase("Team"), "inbox", Figure(f"{in_team.waiting:,}")),
        View(Worklist.MINE, reverse("review:list-mine"), Phrase("My work"), "user", _count(mine)),
        View(Worklist.ASKED, reverse("review:list-asked"), Phrase("Asked of me"), "comment", _count(asked)),
        View(
            Worklist.POSTPONED,
            put_off,
            Phrase("Postponed"),
            "calendar",
            Figure(f"{queued.postponed:,}"),
        ),
        View(Worklist.DECIDED, reverse("review:list-decided"), Phrase("Decided today"), "check", _count(decided)),
    ]
    checks = counts.get(checks_of(queue_to_store(team)), Queued()).waiting
    views += _list_quality(request, team, checks, here=request.GET.get("here", ""))
    if not shows_counts(request):
        views = [replace(one, number="") for one in views]
    context = {"views": views, "here": request.GET.get("here", ""), "queue_id": queue, "saved": saved}
    return render_answer(request, "review/desk/views.html", "review/desk/_views.html", context)


def _list_quality(request: DeskRequest, queue: str, checks: int, *, here: str) -> list[View]:
    """Return the quality lists; empty without second reviews."""
    disputes = quality.count_disputes(request.site, queue, most=_MOST_COUNTED)
    number = f"{disputes}{'+' if disputes >= _MOST_COUNTED else ''}"
    of_queue = f"?{urlencode({'queue': queue})}" if queue else ""
    views = [
        View(
            Worklist.CHECKS,
            queue_url(checks_of(queue_to_store(queue))),
            Phrase("Second reviews"),
            "users",
            Figure(f"{checks:,}"),
        ),
        View(Worklist.DISPUTES, f"{reverse('review:list-disputes')}{of_queue}", Phrase("Differences"), "split", number),
    ]
    return [one for one in views if one.number != "0" or one.worklist == here]


@require_safe
def list_mine(request: DeskRequest) -> HttpResponse:
    access.check_can_view(request)
    return _show(request, Worklist.MINE, _list_own(request, Worklist.MINE, request.GET.get("after")))


@require_safe
def list_asked(request: DeskRequest) -> HttpResponse:
    """Show reviews waiting for this person's answer, nearest deadline first."""
    access.check_can_view(request)
    return _show(request, Worklist.ASKED, _list_own(request, Worklist.ASKED, request.GET.get("after")))


@require_safe
def list_postponed(request: DeskRequest) -> HttpResponse:
    """Show the postponed reviews of ``?queue=``, soonest return first."""
    access.check_can_view(request)
    queue = request.GET.get("queue", "")
    access.check_admitted(request, queue)
    page = queries.list_postponed(request.site, queue, cursor=request.GET.get("after"))
    return _show(request, Worklist.POSTPONED, page, queue)


@require_safe
def list_decided(request: DeskRequest) -> HttpResponse:
    """Show this person's decisions of today, newest first."""
    access.check_can_view(request)
    cursor, person_id = request.GET.get("after"), str(request.user.pk)
    page = visibility.filter_page(
        request,
        lambda place: queries.list_decisions_since(
            request.site, person_id, _today(), limit=settings.PAGE_SIZE, cursor=place
        ),
        cursor,
        lambda row: row.document_id,
    )
    context = {
        "view": Worklist.DECIDED,
        "rows": [_row_of_decision(request.site, row) for row in page.rows],
        **page_links(request, page.next, reverse("review:list-decided")),
    }
    return render_answer(request, "review/desk/decided.html", None, context)


def _list_own(request: DeskRequest, worklist: Worklist, cursor: str | None = None) -> Page[Review]:
    return list_own_reviews(request, str(request.user.pk), worklist, cursor)


def list_own_reviews(request: DeskRequest, user_id: str, worklist: Worklist, cursor: str | None = None) -> Page[Review]:
    """List a person's reviews, without those in queues that are now closed to the person."""
    closed = visibility.list_closed_queues(request)
    page = queries.list_work(request.site, user_id, worklist, cursor=cursor)
    return Page([one for one in page.rows if queue_of_admission(one.queue) not in closed], page.next)


def _show(request: DeskRequest, worklist: Worklist, page: Page[Review], queue: str = "") -> HttpResponse:
    title, about = _HEADS[worklist]
    address = f"{request.path}?{urlencode({'queue': queue})}" if queue else request.path
    rows = rows_of(request, page.rows)
    context = {
        "view": worklist,
        "title": title,
        "about": about,
        "queue_id": queue,
        "rows": rows,
        "groups": group_rows(rows, by_due=worklist != Worklist.POSTPONED),
        "can_select": worklist == Worklist.MINE and access.can_review(request),
        **page_links(request, page.next, address),
        "joiner": "&" if queue else "?",
    }
    return render_answer(request, "review/desk/own.html", "review/desk/_queue.html", context)


def _count(page: Page[Review] | Page[ReviewDecision]) -> str:
    rows: Sequence[object] = page.rows
    return f"{len(rows)}{'+' if page.next else ''}"


def _today() -> str:
    return clock.iso(days.start_of(days.today()))


def _row_of_decision(site: str, row: ReviewDecision) -> DecidedRow:
    ref, _ = queries.decision_place(site, row)
    url = reverse("review:show-review", args=[ref.document_id, ref.review_id])
    tone, icon, words = _MADE.get(row.status or "", ("", "info", row.status or ""))
    if ref.is_check:
        words = Phrase("Second review: %(decision)s").fill(decision=words)
    return DecidedRow(url, row.name or row.document_id or "", tone, icon, words, row.created_at or "")
