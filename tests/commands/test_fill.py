import io
import json
import sys
from collections import defaultdict
from urllib.parse import quote

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from config import aws, clock
from config.due import sweeper
from config.item import Item
from config.table import DOCUMENT, EXECUTION, FILLING, POSTPONED, PROJECT_DOCUMENT, REVIEW, WORKFLOW_STEPS
from projects.queues.items import DEFAULT_QUEUE
from projects.settings import queries as project_queries
from review import queries as review_queries
from review.decide import opening
from tests.aws_faults import count_calls, crash_before, fail
from tests.factories import PROJECT_ID, start_run
from tests.metering import metered
from tests.people import alice, signed_in
from tests.review.reviews import write_assessment
from tests.tools import fill
from tests.tools.filling import PROJECT, Filling, assessed
from tests.tools.filling_record import FillingRecord
from workflows.definitions.blueprint import DOCUMENT_ANALYSIS, DocumentFacts
from workflows.runs import queries
from workflows.runs.actions import advance
from workflows.runs.actions.advance import Advance
from workflows.runs.items import END, Outcome, StepStatus

SITE, FILLED = "default", "proj_fill"
LEFT_OUT = DOCUMENT_ANALYSIS.left_out(DocumentFacts("application/pdf"))


def rows(of: str | None = None):
    """Every item, as stored; ``of`` a document only."""
    found = {}
    for name in (settings.TABLE_NAME, settings.VERSIONS_TABLE_NAME):
        for page in aws.dynamodb_client().get_paginator("scan").paginate(TableName=name):
            for item in page["Items"]:
                if of is None or of in str(item):
                    found[name, item["PK"]["S"], item["SK"]["S"]] = item
    return found


def filled(**options):
    told = io.StringIO()
    call_command("fill", stdout=told, stderr=io.StringIO(), **options)
    return told.getvalue()


def documents():
    cursor, found = None, []
    while True:
        page = queries.project_documents(SITE, FILLED, cursor=cursor)
        found += [row.document_id for row in page.rows]
        if not (cursor := page.next):
            return found


def record(kind):
    return FillingRecord.load(FILLING.key(SITE, project_id=FILLED, kind=kind))


@pytest.mark.slow
def test_filling_twice_leaves_as_many_rows_as_once(table):
    filled(documents=60, reviews=30, segments=60)
    once = rows()
    with count_calls() as calls:
        told = filled(documents=60, reviews=30)
    assert "60, all present" in told
    assert calls.of("dynamodb", "BatchWriteItem") == []
    filled(documents=60, reviews=30, again=True)
    assert rows().keys() == once.keys()
    assert len(documents()) == 90
    assert len(queries.segments(SITE, "fill-run").rows) == 50
    assert project_queries.get_project(SITE, FILLED).settings == PROJECT


def test_more_are_added_behind_those_that_are_there(table):
    filled(documents=30)
    with count_calls() as calls:
        filled(documents=40)
    assert len(calls.of("dynamodb", "BatchWriteItem")) == -(-10 * 12 // 25)
    assert len(set(documents())) == 40


@pytest.mark.slow
@pytest.mark.parametrize("nth", [1, 2, 40])
def test_killed_and_started_again_it_goes_on_where_it_was(table, monkeypatch, nth):
    monkeypatch.setattr(fill, "_RECORD_SECONDS", 0)
    monkeypatch.setattr(fill, "_LANES", 1)
    with crash_before("dynamodb", "BatchWriteItem", nth=nth):
        filled(documents=100, reviews=25)
    done = int(record("documents").done)
    assert done == {1: 0, 2: 0, 40: 75}[nth]
    with count_calls() as calls:
        filled(documents=100, reviews=25)
    assert len(calls.of("dynamodb", "BatchWriteItem")) == (100 - done) // 25 * 12 + 15
    assert len(documents()) == 125
    after = rows()
    filled(documents=100, reviews=25, again=True)
    assert rows().keys() == after.keys()


def test_a_table_that_takes_some_rows_only_gets_the_others_again(table):
    refusing = fail("dynamodb", "BatchWriteItem", error_code="InternalServerError", times=99)
    with refusing, pytest.raises(CommandError, match="try again"):
        filled(documents=30)
    assert record("documents").done == 0
    assert "30, " in filled(documents=30)
    assert len(documents()) == 30


def test_the_bar_is_for_a_terminal_only(table, monkeypatch):
    told = io.StringIO()
    call_command("fill", documents=5, stderr=told, stdout=io.StringIO())
    assert told.getvalue() == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    call_command("fill", documents=30, stderr=told, stdout=io.StringIO())
    assert "30 of 30" in told.getvalue()


def test_nothing_that_is_filled_is_ever_due(table):
    filled(documents=3, reviews=3)
    before = rows()
    assert sweeper.sweep() == 0
    assert rows() == before


def shape(found):
    """Each kind of row with the names of its attributes, GSI2 of what is due left out."""
    kinds = defaultdict(set)
    for (name, _, sk), item in found.items():
        head = f"{name} {sk.split('#')[0]} {item.get('type', {}).get('S', '')}"
        due = item.get("GSI2PK", {}).get("S", "").startswith("DUE#")
        kinds[head] |= {key for key in item if not (due and key.startswith("GSI2"))}
        if "data" in item:
            kinds[head] |= {f"data.{key}" for key in item["data"].get("M", {})}
    return {head: names for head, names in kinds.items() if " TRANSITION" not in head}


def test_what_is_filled_has_the_rows_that_the_real_actions_leave(table):
    """Real: through the table, one transaction a step. Filled: the same changes, worked out without it."""
    filling = Filling(SITE, PROJECT_ID, clock.now())
    real = {"published": start_run(), "waiting": start_run()}
    steps = [step for step in DOCUMENT_ANALYSIS.steps if step.type != "approval" and step.order not in LEFT_OUT]
    for step in steps:
        moved = advanced(real["published"], step, asked=False)
    assert moved.to == END
    for step in (step for step in steps if step.order < DOCUMENT_ANALYSIS.named("human_review").order):
        advanced(real["waiting"], step, asked=True)
    pause = filling._pause(0)
    write_assessment(real["waiting"], pause.found["reasons"], pause.found["triage"])
    opening.open_review(opening.Pause(real["waiting"], *list(vars(pause).values())[1:]))
    for kind, run in real.items():
        invented = filling.made_rows(kind, 0)
        by_key = {(name, row["PK"]["S"], row["SK"]["S"]): row for name, row in invented}
        wanted, found = shape(rows(of=run.document_id) | rows(of=run.workflow_id)), shape(by_key)
        wanted.pop(f"{settings.TABLE_NAME} run ")  # figures of days have nothing of what is filled
        wanted.pop(f"{settings.TABLE_NAME} syncs document.review.required", None)  # what is filled was sent nowhere
        for step in DOCUMENT_ANALYSIS.steps:  # what happened on the way is left out
            for word in ("COMPLETED", "SKIPPED"):
                wanted.pop(f"{settings.TABLE_NAME} EVENT {step.name.upper()}_{word}", None)
        assert found.keys() == wanted.keys() | (
            {f"{settings.TABLE_NAME} EVENT PUBLISHED"} if kind == "published" else set()
        )
        counts = {"page_count", "pages"}  # known before an upload's run, on its rows and on its execution
        for head in wanted:
            assert found[head] - counts == wanted[head] - counts, head


def without_event_ids(made):
    ids = [row["event_id"]["S"] for _, row in made if "event_id" in row]
    text = json.dumps(sorted(made, key=str))
    for i, one in enumerate(ids):
        text = text.replace(one, f"event {i}")
    return sorted(json.loads(text), key=str), len(set(ids))


@pytest.mark.parametrize("kind", ["published", "waiting"])
@pytest.mark.parametrize("site", ["default", "acme"])
def test_what_is_cast_is_what_the_actions_make(table, kind, site):
    filling = Filling(site, FILLED, clock.now())
    for index in (0, 1, 7, 59, 1439, 99_999, 543_210):
        assert without_event_ids(filling.rows(kind, index)) == without_event_ids(filling.made_rows(kind, index))
    ids = {row["event_id"]["S"] for index in range(50) for _, row in filling.rows(kind, index) if "event_id" in row}
    assert len(ids) == 100


def advanced(run, step, *, asked):
    facts = {"segment_count": 1} if step.name == "segment_builder" else {}
    outcome = ""
    if step.name == "assess":
        facts, outcome = assessed(asked=asked), "review_required" if asked else ""
    to = DOCUMENT_ANALYSIS.after(step, outcome, LEFT_OUT)
    ended = Outcome.PUBLISHED if to == END else None
    move = Advance(step, to, 1, result="completed", outcome=ended, facts=facts)
    advance.advance(run, DOCUMENT_ANALYSIS, move, last=queries.execution(run).last_transition)
    return move


@pytest.mark.wide
@pytest.mark.django_db
def test_what_is_filled_opens_in_the_pages(table):
    filled(documents=2, reviews=2)
    browser = signed_in(alice())
    found = next(row for row in queries.project_documents(SITE, FILLED).rows if row.outcome == "published")
    review = review_queries.list_queue(SITE).rows[0]
    for url in (
        f"/projects/{FILLED}/",
        f"/workflows/{found.document_id}/{found.workflow_id}/",
        f"/workflows/{found.document_id}/{found.workflow_id}/lineage/",
        f"/workflows/{review.document_id}/{review.workflow_id}/",
        f"/review/{review.document_id}/{review.SK.rpartition('#')[2]}/",
    ):
        assert browser.get(url).status_code == 200, url
    assert b"Grossmarkt Ruhr" in browser.get(f"/review/{review.document_id}/{review.SK.rpartition('#')[2]}/").content


WAITS = "proj_waits"  # a page costs more where it has to ask which of its documents wait
NEWEST_FIRST = True
MOVING = Item.GSI1SK == StepStatus.IN_PROGRESS
WAITING = Item.GSI1SK < POSTPONED
# Each list of the desk: its URL, its partition in GSI1, its order, and what else it asks of the sort key.
LISTS = [
    ("/", WORKFLOW_STEPS.gsi1_partition(SITE), not NEWEST_FIRST, MOVING),
    ("/review/", REVIEW.gsi1_partition(SITE, queue=DEFAULT_QUEUE), not NEWEST_FIRST, WAITING),
    ("/workflows/", EXECUTION.gsi1_partition(SITE, workflow_id=DOCUMENT_ANALYSIS.name), NEWEST_FIRST, None),
    ("/documents/?day=2026-01-01", DOCUMENT.gsi1_partition(SITE, date="2026-01-01"), NEWEST_FIRST, None),
    *(
        (f"/workflows/projects/{project}/documents/", at, NEWEST_FIRST, None)
        for project in (FILLED, WAITS)
        for at in [PROJECT_DOCUMENT.gsi1_partition(SITE, project_id=project)]
    ),
]


def last_page(pk, newest_first, sk):
    """The cursor of the page that ends with the list's last row, without turning over all before it."""
    size = settings.PAGE_SIZE
    before = Item.page(pk, sk=sk, index="GSI1", newest_first=not newest_first, limit=size + 1).rows[size]
    return before.cursor(pk, "GSI1", sk)


@pytest.mark.slow
@pytest.mark.django_db
def test_every_list_costs_on_its_last_page_what_it_costs_on_its_first(table):
    filled(documents=1000)
    filled(reviews=1000, project=WAITS)
    browser = signed_in(alice())

    def cost(url, cursor=None):
        with metered() as meter:
            answer = browser.get(f"{url}{'&' if '?' in url else '?'}after={quote(cursor)}" if cursor else url)
        assert answer.status_code == 200, (url, cursor)
        rows = next(answer.context[name] for name in ("rows", "reviews", "items") if name in answer.context)
        assert len(rows) == settings.PAGE_SIZE, url
        return (meter.calls, meter.reads), answer.context["next_cursor"]

    for url, *found in LISTS:
        browser.get(url)  # how long steps usually take is remembered
        first, following = cost(url)
        second, _ = cost(url, following)
        last, _ = cost(url, last_page(*found))
        assert first == second, url
        assert first[0] == last[0], url
        # The oldest runs of the site wait for nobody: their rows are smaller.
        assert last[1] < first[1] if url == "/workflows/" else last[1] == first[1], url
        assert len(first[0]) <= (3 if url == "/" else 2), url  # the overview also counts
