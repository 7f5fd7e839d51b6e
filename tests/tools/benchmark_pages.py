"""What the desk's pages cost: CPU against a bare Django view that makes one boto3 Query, in the same run."""

import functools
import html
import re
import secrets
from collections.abc import Iterator
from typing import Any

import boto3.session
from botocore.config import Config
from django.conf import settings
from django.contrib.auth.models import Group, User
from django.core.handlers.wsgi import WSGIHandler, WSGIRequest
from django.http import HttpRequest, HttpResponse
from django.urls import path, reverse

from config import bulk, clock, table
from config.errors import CountersignError
from projects.queues.items import DEFAULT_QUEUE
from projects.sites.permissions import ADMINS, REVIEWERS
from review.decide import claims
from review.decide.tasks import enqueue_redeem
from review.identity import Person, ReviewRef
from tests.tools.browser import Browser
from tests.tools.filling import Filling
from tests.tools.measure import Ratio, Work, turns

SITE, PROJECT = table.DEFAULT_SITE, "proj_benchmark"
BARE = "a bare Django view with one boto3 Query of 25 items"
_BATCH = 25
_LISTS = (
    ("review queue page, signed in", "/review/", 2.0),
    ("overview", "/", 3.5),
    ("documents", "/documents/", 2.5),
    ("audit", "/settings/audit/", 3.5),
)
_LOADED = re.compile(r'hx-get="([^"]+)"\s+hx-trigger="load')


def pages(rounds: int) -> Iterator[Ratio]:
    """The pages that people open most, each beside the bare view in the same run; then what two cost in calls.

    The two bounds from Label Studio's 24.5 and 36 CPU-ms are written as multiples of the bare view of the same
    machine, 4.5 CPU-ms: a third of the one is 1.8 of it, a quarter of the other 2.0.

    Raises:
        CountersignError: a page did not answer as it should; nothing is measured on an error page.

    """
    browser, rosa, bare = _reviewer(), _person(), Browser(_BareHandler())
    filling = Filling(SITE, PROJECT, clock.now())
    enqueue_redeem(filling.review(0), "warm-up", delay=0)  # kombu looks its queue up once
    _fill(filling, max(rounds, _BATCH))
    for name, url, bound in _LISTS:
        yield _ratio(name, bound, "page", _times(rounds, read_page(browser, url)), bare)
    refs = [filling.review(index) for index in range(rounds)]
    for index, ref in enumerate(refs):
        claims.claim_review(ref, filling.waiting(index), by=rosa)
    opening = [read_page(browser, _url("show-review", ref)) for ref in refs]
    yield _ratio("opening a review", 1.8, "page", opening, bare)
    yield _ratio("deciding a review", 2.0, "decision", [_deciding(browser, ref) for ref in refs], bare)
    run = filling.published(0)
    for name, url in (
        ("run page", reverse("workflows:show-run", args=[run.document_id, run.workflow_id])),
        ("document page", reverse("documents:show-document", args=[run.document_id])),
    ):
        yield from _page_with_parts(browser, name, url)


def make_reviewer(reviews: int) -> Browser:
    """Return a browser of somebody signed in, whose queue has as many reviews as a page shows, or more."""
    browser = _reviewer()
    _fill(Filling(SITE, PROJECT, clock.now()), max(reviews, _BATCH))
    return browser


def _page_with_parts(browser: Browser, name: str, url: str) -> Iterator[Ratio]:
    """How many requests a page takes with what it loads by itself, and how many calls of AWS all of them make."""
    _expect(browser.get(url).status, 200, url)  # what a process remembers of the site is read now
    answer = browser.get(url)
    parts = [html.unescape(part) for part in _LOADED.findall(answer.body.decode())]
    answers = [answer, *(browser.get(part) for part in parts)]
    calls = sum(one.calls for one in answers)
    yield Ratio(f"{name}, requests", len(answers), 2, "at most", len(answers), 1, "page", "the page alone", "requests")
    yield Ratio(f"{name}, calls of AWS", calls, 6, "at most", calls, 1, "page", "one Query", "calls")


def _ratio(name: str, bound: float, unit: str, ours: list[Work], bare: Browser) -> Ratio:
    own, other = turns(ours, read_page(bare, "/"))
    return Ratio(name, own / other, bound, "at most", own, other, unit, BARE)


def _times(rounds: int, work: Work) -> list[Work]:
    return [work] * rounds


def _url(name: str, ref: ReviewRef) -> str:
    return reverse(f"review:{name}", args=[ref.document_id, ref.review_id])


def read_page(browser: Browser, url: str) -> Work:
    return lambda: _expect(browser.get(url).status, 200, url)


def _deciding(browser: Browser, ref: ReviewRef) -> Work:
    """The form is fetched here, before anything is measured."""
    page = browser.get(_url("show-review", ref)).body.decode()
    found = re.search(r'name="ticket" value="([^"]+)"', page)
    if not found:
        raise CountersignError("The review's page has no form: it is not the benchmark's own.")
    values = {"ticket": html.unescape(found[1]), "field-total": "38.90", "decision": "approve"}
    url = _url("decide", ref)
    return lambda: _expect(browser.post(url, **values).status, 302, url)


def _expect(status: int, wanted: int, url: str) -> None:
    if status != wanted:
        raise CountersignError(f"{url} answered {status} and not {wanted}: nothing was measured.")


def _reviewer() -> Browser:
    """Signed in through the form, as a person is; who looks at the audit administers the site."""
    user, _ = User.objects.get_or_create(username="benchmark", defaults={"first_name": "Rosa", "last_name": "Keller"})
    password = secrets.token_urlsafe(9)
    user.set_password(password)
    user.save()
    user.groups.set([Group.objects.get_or_create(name=name)[0] for name in (REVIEWERS, ADMINS)])
    browser, url = Browser(WSGIHandler()), reverse("login")
    _expect(browser.get(url).status, 200, url)
    _expect(browser.post(url, username="benchmark", password=password).status, 302, url)
    return browser


def _person() -> Person:
    user = User.objects.get(username="benchmark")
    return Person(str(user.pk), user.get_full_name())


def _fill(filling: Filling, count: int) -> None:
    for index in range(count):
        filling.save_result(index)
        bulk.put_rows(filling.rows("waiting", index))
    bulk.put_rows(filling.rows("published", 0))


@functools.cache
def _boto3_client() -> Any:
    """As boto3 builds it; ours are signed in fewer steps, and both say in one text who they are."""
    session = boto3.session.Session(settings.AWS_ACCESS_KEY_ID, settings.AWS_SECRET_ACCESS_KEY)
    config = Config(user_agent="countersign")
    return session.client("dynamodb", settings.AWS_REGION, endpoint_url=settings.AWS_ENDPOINT_URL, config=config)


def _bare_view(_request: HttpRequest) -> HttpResponse:
    found = _boto3_client().query(
        TableName=settings.TABLE_NAME,
        IndexName="GSI1",
        KeyConditionExpression="GSI1PK = :queue",
        ExpressionAttributeValues={":queue": {"S": table.REVIEW.gsi1_partition(SITE, queue=DEFAULT_QUEUE)}},
        Limit=_BATCH,
    )
    return HttpResponse("\n".join(item["name"]["S"] for item in found["Items"]))


class _BareRequest(WSGIRequest):
    urlconf = (path("", _bare_view),)  # type: ignore[assignment]  # Django takes the patterns themselves too


class _BareHandler(WSGIHandler):
    """Django without any middleware."""

    request_class = _BareRequest

    def load_middleware(self, is_async: bool = False) -> None:
        usual, settings.MIDDLEWARE = settings.MIDDLEWARE, []
        try:
            super().load_middleware(is_async)
        finally:
            settings.MIDDLEWARE = usual
