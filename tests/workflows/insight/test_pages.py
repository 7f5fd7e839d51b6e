"""The page of figures: what it says, what it costs, and who sees what of it."""

import csv
import datetime as dt
import html
import io
import re

import pytest
from django.test import Client

from config import clock, table
from config.due import sweeper
from projects.queues import actions as queue_actions
from projects.settings import actions as project_actions
from projects.settings.values import ProjectSettings
from projects.sites.permissions import Permission
from tests.aws_faults import count_calls
from tests.factories import SITE, start_run
from tests.flow.urls import world
from tests.people import alice, bob, charlie, person, signed_in
from tests.projects.make_sites import BY, grant, make_site
from tests.workflows.advancing import failed, published, waiting
from tests.workflows.insight.rollups import add_figures
from workflows.insight.figures import join_name
from workflows.insight.queries import Scope
from workflows.runs.items import Outcome

pytestmark = pytest.mark.django_db
PROJECT, OTHER = "proj_" + "a" * 21, "proj_" + "b" * 21


@pytest.fixture
def desk(table):
    """One of each: published, failed, waiting; in a project that is there, and one in another."""
    for project_id, name in ((PROJECT, "Receipts"), (OTHER, "Contracts")):
        project_actions.create_project(SITE, ProjectSettings(name=name), by=BY, project_id=project_id)
    runs = [end(start_run(project_id=PROJECT)) for end in (published, failed, waiting)]
    published(start_run(project_id=OTHER))
    sweeper.sweep()
    return runs


def text_of(answer) -> str:
    """What a person reads."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", answer.content.decode())).split())


def page(client: Client, **asked: str) -> str:
    answer = client.get("/insight/", asked)
    assert answer.status_code == 200
    return text_of(answer)


def invent(days: int, scope: Scope, **numbers: int) -> None:
    """Busy days, as years of work leave them."""
    today = clock.now().date()
    for back in range(days):
        add_figures(scope, today - dt.timedelta(days=back), **numbers)


def test_it_says_how_documents_fare(desk):
    said = page(signed_in(alice()))
    assert "Received 4" in said
    assert "Published 2" in said
    assert "Straight-through 100 %" in said
    assert "Failed 1" in said
    assert "Waiting now 1" in said
    assert "Segment Prep" in said


@pytest.mark.parametrize(
    "asked", [{}, {"project": PROJECT}, {"project": OTHER, "period": "today"}, {"period": "90d"}], ids=str
)
def test_each_tile_leads_to_its_column_whose_total_it_is(desk, asked):
    answer = signed_in(alice()).get("/insight/", asked)
    said = answer.content.decode()
    days, total = answer.context["days"], answer.context["total"]
    columns = {"#h-received": 0, "#h-published": 1, "#h-straight": 2, "#h-reviewed": 3, "#h-median": 4, "#h-cost": 8}
    tiles = {tile.url: tile.value for tile in answer.context["tiles"]}
    assert set(columns) <= set(tiles)
    for url, column in columns.items():
        assert f'id="{url[1:]}"' in said
        assert tiles[url] == total.numbers[column][1]
    for column in (0, 1, 6, 7):
        assert sum(int(day.numbers[column][1]) for day in days) == int(total.numbers[column][1])


def test_the_waiting_tile_leads_to_as_many_reviews(desk):
    browser = signed_in(charlie())
    for asked in ({}, {"project": PROJECT}):
        (tile,) = [one for one in browser.get("/insight/", asked).context["tiles"] if one.name == "Waiting now"]
        assert int(tile.value) == len(browser.get(tile.url).context["rows"]) == 1


def test_figures_of_the_overview_lead_to_as_many_documents(desk):
    browser = signed_in(charlie())
    figures = {one["words"]: one for one in browser.get("/").context["figures"]}
    assert set(figures) == {"needs review", "published", "failed"}
    for one in figures.values():
        assert len(browser.get(one["url"]).context["rows"]) == one["number"], one["words"]


def test_a_project_has_its_own_figures_and_a_period_its_own_days(desk):
    client = signed_in(charlie())
    assert "Received 3" in page(client, project=PROJECT, period="today")
    assert "Received 1" in page(client, project=OTHER, period="90d")
    assert client.get("/insight/", {"project": "proj_none"}).status_code == 404
    assert client.get("/insight/", {"type": "a#b"}).status_code == 404
    assert "No documents in this period" in page(client, type="proj_none")


def test_each_figure_leads_to_where_it_comes_from_even_without_failures(table):
    add_figures(Scope(SITE), clock.now().date(), received=2)
    answer = signed_in(alice()).get("/insight/")
    urls = {one.name: one.url for one in answer.context["tiles"] if one.name != "Values corrected"}  # of no value
    content = answer.content.decode()
    assert (urls["Failed"], urls["Due dates missed"]) == ("#h-failed", "#h-due-missed")
    for url in urls.values():
        assert f'id="{url[1:]}"' in content or url.startswith("/")


def test_the_period_before_is_beside_it(desk):
    add_figures(Scope(SITE), clock.now().date() - dt.timedelta(days=1), received=7)
    assert "Received 4 Before: 7" in page(signed_in(alice()), period="today")
    assert "Received 11 Before: 0" in page(signed_in(alice()), period="7d")


@pytest.mark.wide
def test_ninety_busy_days_cost_five_calls(desk):
    steps = {join_name("step", "document-analysis", f"step_{i}", str(b)): 9 for i in range(13) for b in range(6)}
    fields = {join_name("field", f"Field {i}", word): 9 for i in range(12) for word in ("corrected", "confirmed")}
    invent(180, Scope(SITE), received=900, **{"ended|published": 800, "total|5": 800}, **steps, **fields)
    client = signed_in(alice())
    client.get("/insight/")
    with count_calls() as calls:
        assert "Received 81,004" in page(client, period="90d")
    assert len(calls.of("dynamodb")) <= 5, calls.names()
    for period in ("7d", "30d", "90d"):
        for project in ("", PROJECT):
            with count_calls() as calls:
                page(client, period=period, project=project)
            assert len(calls.of("dynamodb")) <= 5, (period, project, calls.names())


def test_days_on_which_nothing_happened_are_drawn_and_not_listed(desk):
    today = clock.now().date()
    for back in (0, 9):
        add_figures(Scope(SITE), today - dt.timedelta(days=back), received=7)
    add_figures(Scope(SITE), today - dt.timedelta(days=4), received=0)
    answer = signed_in(alice()).get("/insight/", {"period": "30d"})
    busy = [(one.name, one.numbers[0][1]) for one in answer.context["days"]]
    assert [number for _, number in busy] == ["11", "7"]
    assert "Without periods in which nothing happened" in text_of(answer)
    assert len(answer.context["report"].spans) == 30


def test_ninety_days_are_told_by_week_and_add_up(desk):
    invent(90, Scope(SITE), received=10, **{"ended|published": 9, "failed|assess|E": 1})
    content = signed_in(alice()).get("/insight/", {"period": "90d"})
    spans = content.context["report"].spans
    assert len(spans) == len(content.context["days"]) in (13, 14)
    assert sum((one.last - one.first).days + 1 for one in spans) == 90
    assert {one.first.weekday() for one in spans[1:]} == {0}
    assert sum(one.sums.received for one in spans) == content.context["report"].now.received == 904
    said = text_of(content)
    assert "By week" in said
    assert "Documents by week" in said
    assert "By day" in page(signed_in(alice()), period="30d")
    rows = list(
        csv.DictReader(io.StringIO(signed_in(alice()).get("/insight/days.csv", {"period": "90d"}).getvalue().decode()))
    )
    assert len(rows) == 90


def test_costs_and_people_are_for_those_who_set_up(desk):
    invent(
        1,
        Scope(SITE),
        **{f"cost|{PROJECT}|bedrock|haiku": 1_500_000, "micros": 1_500_000, "person|9|Rosa Marin|decided": 3},
    )
    assert "Rosa Marin 3" in (said := page(signed_in(alice())))
    assert "$1.50" in said
    for one in (bob(), charlie()):
        said = page(signed_in(one))
        assert "Rosa Marin" not in said
        assert "$" not in said
        assert "usd" not in signed_in(one).get("/insight/days.csv").getvalue().decode()


def test_who_is_kept_from_a_queue_sees_nothing_of_its_project_nor_of_the_whole(desk):
    queue_actions.create_queue(SITE, "Board", ["board"], by=BY, queue_id="01HZZZZZZZZZZZZZZZZZZZZZZ0")
    secret = ProjectSettings(name="Takeovers", review_queue="01HZZZZZZZZZZZZZZZZZZZZZZ0")
    project_actions.create_project(SITE, secret, by=BY, project_id="proj_" + "c" * 21)
    published(start_run(project_id="proj_" + "c" * 21))
    sweeper.sweep()
    client = signed_in(charlie())
    said = page(client)
    assert "Takeovers" not in said
    assert "All projects" not in said
    assert "Received 1" in said  # of the first project by name
    for address in ("/insight/", "/insight/days.csv"):
        assert client.get(address, {"project": "proj_" + "c" * 21}).status_code == 404
    assert "Takeovers" in page(signed_in(person("dana", "Board", "viewers", "board")))


def test_the_failures_of_a_number_are_behind_it(desk):
    client = signed_in(charlie())
    assert "/insight/failures/?step=segment_prep&amp;error=E" in client.get("/insight/").content.decode()
    answer = client.get("/insight/failures/", {"step": "segment_prep", "error": "E"})
    assert f"/workflows/{desk[1].document_id}/{desk[1].workflow_id}/" in answer.content.decode()
    assert desk[0].workflow_id not in answer.content.decode()
    assert "No failed runs here" in text_of(client.get("/insight/failures/", {"step": "assess", "error": "E"}))


def test_a_due_date_that_was_missed_is_counted_and_leads_to_its_run(table):
    run = failed(waiting(start_run()), "ReviewExpired", Outcome.EXPIRED)
    sweeper.sweep()
    client = signed_in(charlie())
    assert "Due dates missed 1 Before: 0" in (said := page(client))
    assert "Review expired" in said
    (*_, url) = client.get("/insight/").context["causes"][0]
    assert f"/workflows/{run.document_id}/{run.workflow_id}/" in client.get(url).content.decode()


def test_rates_reviewers_and_causes_stand_beside_those_of_the_period_before(table):
    today = clock.now().date()
    days = ((today, 3, 7, 5, 2), (today - dt.timedelta(days=1), 1, 9, 2, 4))
    for day, corrected, confirmed, decided, stopped in days:
        numbers = {
            join_name("field", "Total", "corrected"): corrected,
            join_name("field", "Total", "confirmed"): confirmed,
            join_name("person", "9", "Rosa Marin", "decided"): decided,
            join_name("failed", "segment_prep", "Timeout"): stopped,
        }
        add_figures(Scope(SITE), day, **numbers)
    said = page(signed_in(alice()), period="today")
    assert "Total 10 3 30 % 10 % +20" in said
    assert "Rosa Marin 5 2" in said
    assert "Timeout Segment Prep 2 4" in said


def test_a_wall_screen_says_whose_days_it_counts(desk):
    assert "30 days (UTC), " in text_of(signed_in(alice()).get("/insight/wall/"))


def test_a_wall_screen_has_the_figures_and_neither_controls_nor_money(desk):
    client = signed_in(alice())
    answer = client.get("/insight/wall/", {"project": PROJECT, "period": "7d"})
    content, said = answer.content.decode(), text_of(answer)
    assert 'hx-trigger="every 60s"' in content
    assert 'hx-get="/insight/wall/?project=' in content
    assert "Receipts 7 days" in said
    assert "Waiting now 1" in said
    assert "Received 3 Before: 0" in said
    assert "Cost" not in said
    for control in ("<form", "<button", "<nav", "<input"):
        assert control not in content
    with count_calls() as calls:
        client.get("/insight/wall/", {"period": "90d"})
    assert len(calls.of("dynamodb")) <= 5, calls.names()


def test_a_wall_screen_shows_what_its_viewer_may_see(desk):
    assert signed_in(charlie()).get("/insight/wall/", {"project": "proj_none"}).status_code == 404


def test_the_csv_has_each_day_of_the_period(desk):
    answer = signed_in(alice()).get("/insight/days.csv", {"period": "7d"})
    rows = list(csv.DictReader(io.StringIO(answer.getvalue().decode())))
    assert len(rows) == 7
    last = rows[-1]
    assert (last["day"], last["received"], last["published"], last["failed"]) == (
        clock.now().date().isoformat(), "4", "2", "1",
    )  # fmt: skip
    assert last["usd"] == "0.000000"


def test_each_table_has_a_csv_of_its_own(desk):
    numbers = {
        join_name("field", "Total", "corrected"): 1,
        join_name("field", "Total", "confirmed"): 3,
        join_name("person", "9", "Rosa Marin", "decided"): 3,
        join_name("cost", PROJECT, "bedrock", "haiku"): 1_500_000,
    }
    add_figures(Scope(SITE), clock.now().date(), **numbers)

    def rows_of(table_name: str) -> list[str]:
        answer = signed_in(alice()).get("/insight/days.csv", {"period": "today", "of": table_name})
        assert f"insight-{table_name}-" in answer["Content-Disposition"]
        return answer.getvalue().decode().splitlines()

    assert rows_of("fields") == ["field,reviewed,corrected,rate,before", "Total,4,1,0.2500,"]
    assert rows_of("failures") == ["step,error,runs,before", "Segment Prep,E,1,0"]
    assert rows_of("reviewers")[1].startswith("Rosa Marin,3,0,")
    assert rows_of("costs") == ["project,service,model,usd", "Receipts,bedrock,haiku,1.500000"]
    assert rows_of("steps")[0] == "workflow,step,runs,p50_seconds,p90_seconds,p99_seconds"
    assert len(rows_of("steps")) > 1
    assert "of=fields" in signed_in(alice()).get("/insight/").content.decode()
    assert signed_in(alice()).get("/insight/days.csv", {"of": "nothing"}).status_code == 404


def test_what_people_do_and_what_models_cost_is_exported_for_those_who_set_up(desk):
    client = signed_in(charlie())
    assert client.get("/insight/days.csv", {"of": "fields"}).status_code == 200
    assert [client.get("/insight/days.csv", {"of": name}).status_code for name in ("reviewers", "costs")] == [404, 404]


def test_another_sites_figures_are_not_there(desk):
    make_site("acme", "Tenant")
    grant("acme", "viewers", Permission.READ)
    world("acme", "Bravo")
    sweeper.sweep()
    client = signed_in(charlie())
    said = text_of(client.get("/s/acme/insight/"))
    assert "Received 1" in said
    assert "Receipts" not in said
    assert client.get("/s/acme/insight/", {"project": OTHER}).status_code == 404
    assert "Received 4" in page(client)


def test_an_empty_desk_says_what_belongs_here(table):
    assert "No documents in this period" in page(signed_in(alice()))


def test_sums_are_rows_of_their_own_site():
    assert Scope("acme").key(dt.date(2026, 11, 1)) == table.Key("acme/insight#site#documents", "day#*#2026-11-01")
