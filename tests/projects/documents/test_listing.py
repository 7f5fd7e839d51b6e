"""The list of documents: each way to ask is one Query, and what no key holds is said instead of searched."""

import datetime as dt
from urllib.parse import quote

import pytest

from config import clock
from projects.audit.events import Actor
from projects.documents.actions import properties
from projects.schemas import actions
from projects.schemas.governing import AttributeUse, Schema
from projects.sites import directory
from tests.aws_faults import count_calls
from tests.each import each
from tests.factories import PROJECT, SITE, start_run
from tests.html import one_line
from tests.people import alice, charlie, dora, signed_in
from tests.projects.make_schemas import ALICE, make_attributes, make_classification
from tests.projects.make_sites import grant, make_site
from tests.workflows.advancing import failed, published, waiting
from workflows.documents.actions import removals

pytestmark = pytest.mark.django_db
ROSA = Actor("1", "Rosa Marin")
GOODS = Schema("Site schema", (AttributeUse("vendor"),), (("vendor", "category"),))


@pytest.fixture
def desk(table):
    """Attributes, a composite key and a classification."""
    make_attributes()
    actions.save_site_schema(SITE, GOODS, version=0, by=ALICE)
    return make_classification()


def document(site=SITE, project=PROJECT, **values):
    """Published, with these attributes."""
    run = published(start_run(site=site, project=project))
    for key, value in values.items():
        properties.set_attribute(site, run.document_id, key, [value], by=ROSA)
    return run.document_id


def listed(query="", who=charlie, status=200):
    answer = signed_in(who()).get(f"/documents/?{query}")
    assert answer.status_code == status
    return answer


def ids(query="", **more):
    return [row.document.document_id for row in listed(query, **more).context["rows"]]


def text(query="", **more):
    return one_line(listed(query, **more).content)


# --- by day --------------------------------------------------------------------
def test_a_day_is_one_query_and_one_for_the_counts(table):
    older, newer, browser = start_run().document_id, start_run().document_id, signed_in(charlie())
    with count_calls() as calls:
        answer = browser.get("/documents/")
    assert calls.names() == ["dynamodb.Query", "dynamodb.Query"]
    assert {row.document.document_id for row in answer.context["rows"]} == {newer, older}
    page = one_line(answer.content)
    assert "Today" in page
    assert "Running" in page
    assert "2 on this site" in page


def test_days_can_be_turned_and_an_empty_one_says_so(table):
    start_run()
    today = clock.now().date()
    yesterday = today - dt.timedelta(days=1)
    assert f"?day={yesterday}" in text()
    page = text(f"day={yesterday}")
    assert "No documents received on this day" in page
    assert f"?day={today}" in page
    for odd in ("", "soon", "0001-01-01", "9999-12-31"):
        listed(f"day={odd}")


def test_a_list_says_where_each_document_stands(table):
    start_run()
    waiting(start_run())
    published(start_run())
    failed(start_run())
    looks = sorted(row.look.words for row in listed().context["rows"])
    assert looks == ["Failed", "Needs review", "Published", "Running"]


def test_who_has_no_role_sees_none_and_admins_see_the_same(table):
    start_run()
    listed(who=dora, status=403)
    assert ids(who=alice) == ids()


# --- by status -----------------------------------------------------------------
def test_a_status_is_a_list_of_its_own_and_its_tab_counts(table):
    moving, paused, done, lost = start_run(), waiting(start_run()), published(start_run()), failed(start_run())
    browser = signed_in(charlie())
    for status, run in (("running", moving), ("in_review", paused), ("published", done), ("failed", lost)):
        with count_calls() as calls:
            answer = browser.get("/documents/", {"status": status})
        assert calls.names() == ["dynamodb.Query", "dynamodb.Query"]
        assert [row.document.document_id for row in answer.context["rows"]] == [run.document_id]
        (tab,) = (one for one in answer.context["status_tabs"] if one.here)
        assert (tab.number, answer.context["number"]) == (1, 1)
    assert ids("status=rejected") == []
    assert "No documents match" in text("status=rejected")


@pytest.mark.wide
def test_a_deleted_document_is_found_by_nothing_and_a_restored_one_by_all(desk):
    document_id = document(project={**PROJECT, "classification_id": desk}, vendor="Acme", category="goods")
    properties.add_tag(SITE, document_id, "customer", "Globex", by=ROSA)
    ways = ["", "status=published", f"class={desk}", "tag=customer", "tag=customer&value=Globex", "a=vendor&v=Acme"]
    ways.append("a=vendor&a=category&v=Acme&v=goods")
    assert all(ids(way) == [document_id] for way in ways)
    removals.delete_document(SITE, document_id, by=ROSA)
    assert not any(ids(way) for way in ways)
    removals.restore_document(SITE, document_id, by=ROSA)
    assert all(ids(way) == [document_id] for way in ways)
    removals.delete_document(SITE, document_id, by=ROSA)
    removals.purge_document(SITE, document_id, by=ROSA)
    assert not any(ids(way) for way in ways)


# --- by tag, attribute and classification ----------------------------------------
def test_a_tag_is_found_with_its_value_and_in_the_order_of_its_values(table):
    acme, globex = start_run().document_id, start_run().document_id
    for document_id, value in ((globex, "Globex"), (acme, "A/B #1")):
        properties.add_tag(SITE, document_id, "customer", value, by=ROSA)
    assert ids("tag=customer&value=Globex") == [globex]
    assert ids("tag=customer") == [acme, globex]
    assert [row.value for row in listed("tag=customer").context["rows"]] == ["A/B #1", "Globex"]
    assert ids("tag=customer&value=glob") == []


@pytest.mark.wide
def test_numbers_are_a_range_and_texts_begin_with_something(desk):
    cheap, dear, owed = (document(total=total) for total in ("9.50", "1200", "-3"))
    assert ids("a=total&o=between&v=0&to=1200") == [cheap, dear]
    assert ids("a=total&o=between&v=&to=9.5") == [owed, cheap]
    assert ids("a=total&o=between&v=10&to=") == [dear]
    assert ids("a=total&v=1200.00") == [dear]
    assert [row.value for row in listed("a=total").context["rows"]] == ["-3", "9.5", "1200"]
    acme = document(vendor="Acme & Sons")
    document(vendor="Globex")
    assert ids("a=vendor&o=begins&v=Acme") == [acme]
    assert "starts with Acme" in text("a=vendor&o=begins&v=Acme")


@pytest.mark.wide
def test_several_attributes_are_found_by_a_composite_key_of_the_site(desk):
    both = document(vendor="Acme", category="goods")
    document(vendor="Acme", category="rent")
    document(vendor="Acme")
    assert ids("a=category&a=vendor&v=goods&v=Acme") == [both]
    assert len(ids("a=vendor&a=category&v=Acme&v=")) == 2
    page = text("a=vendor&a=category&v=Acme&v=")
    assert "Composite key Vendor, Category: lists documents that have all of these attributes." in page


def test_a_classification_is_found_with_its_day_and_its_own_composite_keys(desk):
    project = {**PROJECT, "classification_id": desk}
    mine = document(project=project, category="goods", currency="EUR")
    document()
    assert ids(f"class={desk}") == [mine]
    assert listed(f"class={desk}").context["number"] == 1
    assert ids(f"class={desk}&day={clock.now().date()}") == [mine]
    assert ids(f"class={desk}&day=2020-01-01") == []
    assert ids(f"class={desk}&a=category&a=currency&v=goods&v=EUR") == [mine]
    assert "Supplier invoice" in text(f"class={desk}")
    assert ids("class=none") == []


@each(
    "query",
    [
        "a=total&v=1",
        "a=vendor&o=begins&v=A",
        "a=vendor&a=category&v=A&v=goods",
        "class=none",
        "class=none&day=2026-01-01",
    ],
)
def test_each_way_is_one_query_where_the_vocabulary_is_known(desk, query):
    browser = signed_in(charlie())
    browser.get(f"/documents/?{query}")
    with count_calls() as calls:
        assert browser.get(f"/documents/?{query}").status_code == 200
    assert calls.names() == ["dynamodb.Query", "dynamodb.Query"]
    for call in calls.of("dynamodb", "Query"):
        assert "FilterExpression" not in call.params


# --- what is not indexed ----------------------------------------------------------
@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("status=failed&tag=x", "status, tag “x”"),
        ("day=2026-01-01&a=vendor&v=A", "day, Vendor"),
        ("a=vendor&a=paid&v=A&v=yes", "Vendor, Paid"),
    ],
)
def test_what_no_key_holds_is_said_and_nothing_is_read(desk, query, words):
    browser = signed_in(charlie())
    browser.get(f"/documents/?{query}")
    with count_calls() as calls:
        page = one_line(browser.get(f"/documents/?{query}").content)
    assert calls.names() == ["dynamodb.Query"]  # the counts
    assert f"Cannot combine: {words}" in page
    assert "Only" in page


def test_a_composite_key_that_would_answer_is_named_and_led_to(desk):
    query = "a=vendor&a=paid&v=A&v=yes"
    assert "Ask a schema manager" in text(query)
    page = text(query, who=alice)
    assert "<code>vendor, paid</code>" in page
    assert 'href="/schemas/site/"' in page
    more = Schema("Site schema", GOODS.uses, (*GOODS.composite_keys, ("vendor", "paid")))
    actions.save_site_schema(SITE, more, version=1, by=ALICE)
    directory.forget()
    found = document(vendor="A", paid="yes")
    assert ids(query) == [found]


@pytest.mark.parametrize("query", ["a=nothing&v=1", "a=total&v=a+lot", "tag=%00", "tag=x&value=" + "y" * 2100])
def test_a_question_that_cannot_be_is_answered_with_what_to_do(desk, query):
    answer = signed_in(charlie()).get(f"/documents/?{query}")
    assert answer.status_code in {200, 422}
    if answer.status_code == 422:
        assert 'role="alert"' in one_line(answer.content)


def test_the_form_keeps_what_was_asked_and_works_by_get(desk):
    page = text(f"class={desk}&tag=a%26b&value=c&a=total&o=between&v=1&to=2&status=failed")
    for part in ('value="a&amp;b"', f'value="{desk}" selected', 'value="total" selected', 'value="between" selected'):
        assert part in page
    assert 'method="get"' in page
    assert "Document type and attributes" not in page
    assert 'href="/documents/?more=1"' in text()
    assert "Clear" not in text("more=1")


# --- sites and pages ---------------------------------------------------------------
def test_a_second_site_finds_nothing_of_the_first(desk):
    found = document(vendor="Acme", category="goods")
    properties.add_tag(SITE, found, "customer", "Globex", by=ROSA)
    make_site("acme")
    grant("acme", "viewers", "READ")
    make_attributes(site="acme")
    browser = signed_in(charlie())
    ways = ("", "status=published", "tag=customer", "tag=customer&value=Globex", "a=vendor&v=Acme", f"class={desk}")
    for way in ways:
        answer = browser.get(f"/s/acme/documents/?{way}")
        assert (answer.status_code, list(answer.context["rows"])) == (200, []), way
        assert not answer.context["total"]


@pytest.mark.wide
def test_pages_go_on_where_they_ended_and_no_cursor_leads_elsewhere(desk):
    runs = [start_run() for _ in range(27)]
    for run in runs:
        properties.add_tag(SITE, run.document_id, "customer", "Acme", by=ROSA)
    for way in ("", "status=running", "tag=customer", "tag=customer&value=Acme"):
        first = listed(way)
        cursor = first.context["next_cursor"]
        second = listed(f"{way}&after={cursor}")
        found = [row.document.document_id for page in (first, second) for row in page.context["rows"]]
        assert sorted(found) == sorted(run.document_id for run in runs)
        link = f"{first.context['first_url']}{first.context['joiner']}after="
        assert link in first.content.decode().replace("&amp;", "&")
    listed(f"status=failed&after={cursor}", status=404)


# --- the day of who looks ----------------------------------------------------------
@pytest.fixture
def around(table, monkeypatch):
    """Ids of documents by the hour (UTC) at which they came, from the 25th on."""
    made = {}
    for hour in (3, 6, 20, 28, 30):
        at = dt.datetime(2026, 11, 25, tzinfo=dt.UTC) + dt.timedelta(hours=hour)
        monkeypatch.setattr(clock, "now", lambda at=at: at)
        made[hour] = start_run().document_id
    return made


@each(
    ("zone", "day", "hours"),
    [
        ("UTC", "2026-11-25", [20, 6, 3]),
        ("America/New_York", "2026-11-25", [28, 20, 6]),
        ("America/New_York", "2026-11-24", [3]),
        ("Asia/Tokyo", "2026-11-26", [30, 28, 20]),
    ],
)
def test_a_day_is_that_of_who_looks(around, zone, day, hours):
    browser = signed_in(charlie())
    browser.cookies["time-zone"] = zone
    answer = browser.get(f"/documents/?day={day}")
    assert [row.document.document_id for row in answer.context["rows"]] == [around[hour] for hour in hours]


def test_pages_of_a_day_go_on_from_one_day_by_utc_to_the_other(around, settings):
    settings.PAGE_SIZE = 1
    browser, url, seen = signed_in(charlie()), "/documents/?day=2026-11-25", []
    browser.cookies["time-zone"] = "America/New_York"
    after = ""
    for _ in range(4):
        answer = browser.get(url + (f"&after={quote(after)}" if after else ""))
        seen += [row.document.document_id for row in answer.context["rows"]]
        after = answer.context["next_cursor"]
        if not after:
            break
    assert seen == [around[hour] for hour in (28, 20, 6)]
    assert browser.get(f"{url}&after=other").status_code == 404
