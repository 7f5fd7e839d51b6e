"""What dashboards cost with 100,000 documents: CPU against the review queue's page, in the same run."""

import contextlib
import datetime as dt
import random
from collections import Counter as Sums
from collections.abc import Iterator

from django.core.cache import cache

from config import bulk, clock
from config.errors import Conflict
from projects.settings import actions as project_actions
from projects.settings.values import ProjectSettings
from tests.tools.benchmark_pages import PROJECT, SITE, make_reviewer, read_page
from tests.tools.browser import Browser
from tests.tools.filling import FILLER
from tests.tools.measure import Ratio, turns
from workflows.definitions.blueprint import DOCUMENT_ANALYSIS
from workflows.insight import figures
from workflows.insight.actions import RollupKey, spread
from workflows.insight.figures import Decided, RunFacts, StepTime
from workflows.runs.items import Outcome

DOCUMENTS, DAYS = 100_000, 180
_QUEUE = "the review queue's page, 25 reviews"
_WEIGHT = 10  # runs that are alike
_CHUNK = 25
_BOUND = 3.0
_FIELDS = ("Company", "Date", "Address", "Total", "Invoice number", "Currency", "Net", "VAT", "IBAN")
_PEOPLE = tuple((str(100 + number), f"Reviewer {number}") for number in range(12))
_MODELS = (("bedrock", "haiku"), ("bedrock", "sonnet"), ("textract", "forms"), ("rules", "built-in"))
_ENDS = (Outcome.PUBLISHED,) * 17 + (Outcome.REJECTED, Outcome.FAILED, Outcome.EXPIRED)
_ERRORS = ("ReviewExpired", "ProviderUnavailable", "States.Timeout", "Unreadable")


def dashboards(rounds: int) -> Iterator[Ratio]:
    """Fill half a year of figures, then measure each dashboard beside the queue."""
    browser = make_reviewer(rounds)
    with contextlib.suppress(Conflict):  # made by an earlier run
        project_actions.create_project(SITE, ProjectSettings(name="Benchmark"), by=FILLER, project_id=PROJECT)
    fill_figures(clock.now())
    for name, url in (
        ("Insight, 30 days", "/insight/?period=30d"),
        ("Insight, 90 days", "/insight/?period=90d"),
        ("Insight, 90 days of a project", f"/insight/?period=90d&project={PROJECT}"),
        ("wall screen", "/insight/wall/"),
        ("quality", "/review/quality/"),
        ("costs", "/settings/costs/"),
        ("overview", "/"),
        ("operations", "/settings/operations/"),
    ):
        yield from _beside_queue(browser, name, url, rounds)


def _beside_queue(browser: Browser, name: str, url: str, rounds: int) -> Iterator[Ratio]:
    show = read_page(browser, url)
    show()
    own, queue = turns([show] * rounds, read_page(browser, "/review/"))
    yield Ratio(f"{name}, CPU", own / queue, _BOUND, "at most", own, queue, "page", _QUEUE)
    browser.get(url)  # what a process remembers for seconds is read now
    calls = browser.get(url).calls
    yield Ratio(f"{name}, calls of AWS", calls, 5, "at most", calls, 1, "page", "one Query", "calls")
    cache.clear()  # as after its caches ended; permissions and what else any page reads are still known
    calls = browser.get(url).calls
    yield Ratio(
        f"{name}, calls of AWS after its caches ended", calls, 5, "at most", calls, 1, "page", "one Query", "calls"
    )


def fill_figures(now: dt.datetime) -> None:
    """Write the rollups of invented runs: as many names a day as busy desks have."""
    chance = random.Random(7)
    sums: dict[RollupKey, Sums[str]] = {}
    for _ in range(DOCUMENTS // _WEIGHT):
        facts = _invent(chance, now - dt.timedelta(days=chance.randrange(DAYS), seconds=chance.randrange(3600)))
        for key, numbers in spread(PROJECT, "", figures.count_run(facts)):
            sums.setdefault(key, Sums()).update({name: number * _WEIGHT for name, number in numbers.items()})
    rows = [
        ("countersign", {"PK": {"S": key.at(SITE).pk}, "SK": {"S": key.at(SITE).sk}} | _wire(numbers))
        for key, numbers in sums.items()
    ]
    for start in range(0, len(rows), _CHUNK):
        bulk.put_rows(rows[start : start + _CHUNK])


def _wire(numbers: Sums[str]) -> dict[str, dict[str, str]]:
    return {name: {"N": str(number)} for name, number in numbers.items()}


def _invent(chance: random.Random, at: dt.datetime) -> RunFacts:
    outcome = chance.choice(_ENDS)
    steps = [StepTime(one.name, chance.lognormvariate(1.5, 1.2)) for one in DOCUMENT_ANALYSIS.steps]
    decided = []
    if chance.random() < 0.4:
        corrected = [one for one in _FIELDS if chance.random() < 0.1]
        confirmed = [one for one in _FIELDS if one not in corrected]
        decided = [Decided(*chance.choice(_PEOPLE), chance.lognormvariate(4, 1), corrected, confirmed)]
    used = {chance.choice(_MODELS): chance.randrange(1000, 90_000)}
    return RunFacts(
        PROJECT, DOCUMENT_ANALYSIS.name, at - dt.timedelta(seconds=chance.lognormvariate(6, 2)), at, at, outcome,
        cause=(chance.choice(steps).name, chance.choice(_ERRORS)) if outcome in figures.FAILURES else None,
        steps=steps, decided=decided, micros=sum(used.values()) + 100, used=used, pages=chance.randrange(1, 9),
    )  # fmt: skip
