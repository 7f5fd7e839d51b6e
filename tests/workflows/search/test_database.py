"""The index in SQLite and in PostgreSQL, which find the same; PostgreSQL where one answers on this machine."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from django.core.management import call_command
from django.db import connections, transaction
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from config.errors import Conflict, NotFound, Refused, Unavailable
from tests.each import each
from tests.examples import at_most
from workflows.search import database
from workflows.search.database import DatabaseIndex
from workflows.search.index import Entry, Kind, Part, SearchPage
from workflows.search.models import SearchDocument, SearchPart
from workflows.search.words import QUERY_LENGTH, parse_terms

SERVER = {"HOST": "127.0.0.1", "PORT": "5432", "USER": os.environ.get("PGUSER", "postgres")}
ALIAS = "search_on_postgresql"


@pytest.fixture(scope="session")
def postgresql(django_db_setup: None, django_db_blocker: Any) -> Iterator[dict[str, Any]]:
    """A database of this process, with our tables; skipped where no server answers, unless it is required."""
    name = f"countersign_search_{os.getpid()}"
    try:
        server = psycopg.connect(
            host=SERVER["HOST"], port=SERVER["PORT"], user=SERVER["USER"], dbname="postgres", autocommit=True,
            connect_timeout=2,
        )  # fmt: skip
    except psycopg.OperationalError:
        if os.environ.get("REQUIRE_POSTGRESQL"):
            pytest.fail("PostgreSQL is required here and does not answer.")
        pytest.skip("No PostgreSQL answers on this machine.")
    server.execute(f'CREATE DATABASE "{name}"')
    whole = connections.databases["default"] | {"ENGINE": "django.db.backends.postgresql", "NAME": name, "OPTIONS": {}}
    with django_db_blocker.unblock(), known(whole | SERVER):
        call_command("migrate", database=ALIAS, verbosity=0)
    yield whole | SERVER
    server.execute(f'DROP DATABASE "{name}" WITH (FORCE)')
    server.close()


@contextmanager
def known(settings: dict[str, Any]) -> Iterator[None]:
    """Only while it is used, and in no test case of Django's: those forbid a database that the settings do not name."""
    connections.databases[ALIAS] = settings
    try:
        yield
    finally:
        connections[ALIAS].close()
        del connections[ALIAS]
        del connections.databases[ALIAS]


@pytest.fixture(params=[pytest.param("default", marks=pytest.mark.django_db), ALIAS])
def index(request: pytest.FixtureRequest, django_db_blocker: Any) -> Iterator[DatabaseIndex]:
    if request.param == "default":
        yield DatabaseIndex()
        return
    with django_db_blocker.unblock(), known(request.getfixturevalue("postgresql")), transaction.atomic(ALIAS):
        yield DatabaseIndex(ALIAS)
        transaction.set_rollback(True, ALIAS)


@pytest.mark.django_db
def test_no_word_of_a_removed_document_stays_in_the_file_of_sqlite() -> None:
    index = DatabaseIndex()
    for number in range(20):
        index.add(entry(f"d{number}", Part(Kind.PAGE, f"plain words {number}", 0, "")), after="")
    index.add(entry("gone", Part(Kind.PAGE, "zebrafinch", 0, "")), after="")
    with connections["default"].cursor() as cursor:
        held = "SELECT COUNT(*) FROM search_searchwords_data WHERE INSTR(block, CAST('zebrafinch' AS BLOB)) > 0"
        assert cursor.execute(held).fetchone()[0] > 0
        index.remove("default", "p", "gone", after=index.mark("default", "gone"))
        assert cursor.execute(held).fetchone()[0] == 0
    assert len(index.find("default", parse_terms("plain")).hits) == 10


def entry(document_id: str = "d1", *parts: Part, site: str = "default", **more: str) -> Entry:
    shown = {"project_name": "Receipts", "name": "a.pdf", "file_type": "application/pdf", "run_id": "r"}
    shown |= {"project_id": "p", "status": "published", "created_at": "2026-11-21T12:00:00.000000+00:00"}
    return Entry(site=site, document_id=document_id, parts=parts, **(shown | more))


def page(text: str, number: int = 0) -> Part:
    return Part(Kind.PAGE, text, number)


def put(index: DatabaseIndex, one: Entry) -> None:
    index.add(one, after=index.mark(one.site, one.document_id))


def look(index: DatabaseIndex, text: str, *, site: str = "default", cursor: str | None = None) -> SearchPage:
    return index.find(site, parse_terms(text), cursor=cursor)


def ids(index: DatabaseIndex, text: str, *, site: str = "default") -> list[str]:
    return [hit.entry.document_id for hit in look(index, text, site=site).hits]


@pytest.mark.wide
@each(
    ("asked", "is_found"),
    [
        ("muller", True),
        ("MÜLL", True),
        ("uller", False),
        ('"mull"', False),
        ('"muller gmbh"', True),
        ('"gmbh muller"', False),
        ("12.50", True),
        ('"12.5"', False),
        ("INV-2024/001", True),
        ("発票", True),
        ("票発", False),
        ("strasse", True),
        ("muller AND invoice", True),
        ("muller elsewhere", False),
        ("invoice.pdf muller", True),  # in the name, and on a page
        ("1e5 0012", True),
    ],
)
def test_it_finds_what_a_document_holds(index: DatabaseIndex, asked: str, is_found: bool) -> None:
    text = "Müller GmbH, Lange Straße 1\nINV-2024/001: 12.50 電子発票番号 1e5 0012"
    put(index, entry("d1", Part(Kind.NAME, "invoice.pdf"), page(text, 2)))
    assert bool(ids(index, asked)) is is_found


def test_a_hit_says_where(index: DatabaseIndex) -> None:
    field = Part(Kind.FIELD, "Acme", 1, "Company")
    put(
        index, entry("d1", Part(Kind.NAME, "acme.pdf"), field, *(page(f"acme {number}", number) for number in range(9)))
    )
    (hit,) = look(index, "acme").hits
    assert [(part.kind, part.page) for part in hit.entry.parts] == [("name", None), ("field", 1), ("page", 0)]
    assert hit.total == 11
    (hit,) = look(index, '"acme 7"').hits
    assert [(part.page, part.text) for part in hit.entry.parts] == [(7, "acme 7")]


def test_words_may_stand_on_different_pages(index: DatabaseIndex) -> None:
    put(index, entry("d1", page("alpha"), page("beta", 1)))
    put(index, entry("d2", page("alpha")))
    assert ids(index, "alpha beta") == ["d1"]


def test_a_site_finds_nothing_of_another_with_the_same_ids(index: DatabaseIndex) -> None:
    put(index, entry("d1", page("ours secret")))
    put(index, entry("d1", page("theirs"), site="acme"))
    assert (ids(index, "ours"), ids(index, "ours", site="acme")) == (["d1"], [])
    assert (ids(index, "theirs"), ids(index, "theirs", site="acme")) == ([], ["d1"])
    index.remove("acme", "p", "d1", after=index.mark("acme", "d1"))
    assert (ids(index, "ours"), ids(index, "theirs", site="acme")) == (["d1"], [])


def test_what_is_put_again_takes_the_place_of_what_was_there(index: DatabaseIndex) -> None:
    put(index, entry("d1", page("before"), page("both", 1)))
    put(index, entry("d1", page("after both")))
    assert (ids(index, "before"), ids(index, "after"), ids(index, "both")) == ([], ["d1"], ["d1"])
    assert SearchPart.objects.using(index._using).count() == 1


def test_until_all_of_it_is_there_searches_find_what_was(index: DatabaseIndex) -> None:
    put(index, entry("d1", page("before")))
    seen = []

    def parts() -> Iterator[Part]:
        for number in range(database._BATCH * 2):
            seen.append((ids(index, "before"), ids(index, "after")))
            yield page("after", number)

    put(index, Entry(**(vars(entry()) | {"parts": parts()})))
    assert set(map(str, seen)) == {str((["d1"], []))}
    assert (ids(index, "before"), ids(index, "after")) == ([], ["d1"])


def test_who_dies_on_the_way_leaves_what_was_there(index: DatabaseIndex) -> None:
    put(index, entry("d1", page("before")))

    def parts() -> Iterator[Part]:
        yield from (page("after", number) for number in range(database._BATCH + 1))
        raise Unavailable("S3")

    with pytest.raises(Unavailable):
        put(index, Entry(**(vars(entry()) | {"parts": parts()})))
    assert (ids(index, "before"), ids(index, "after")) == (["d1"], [])
    assert SearchPart.objects.using(index._using).count() == 1


def test_who_is_overtaken_is_refused_and_leaves_nothing(index: DatabaseIndex) -> None:
    mark = index.mark("default", "d1")
    put(index, entry("d1", page("newer")))
    with pytest.raises(Conflict):
        index.add(entry("d1", page("older")), after=mark)
    with pytest.raises(Conflict):
        index.remove("default", "p", "d1", after=mark)
    assert (ids(index, "newer"), ids(index, "older")) == (["d1"], [])
    assert SearchPart.objects.using(index._using).count() == 1


def test_what_was_removed_does_not_come_back_by_a_late_writer(index: DatabaseIndex) -> None:
    mark = index.mark("default", "d1")
    index.remove("default", "p", "d1", after=mark)
    with pytest.raises(Conflict):
        index.add(entry("d1", page("late")), after=mark)
    assert ids(index, "late") == []


def test_one_who_writes_while_another_clears_loses_nothing(index: DatabaseIndex) -> None:
    put(index, entry("d1", page("first")))
    mark = index.mark("default", "d1")

    def parts() -> Iterator[Part]:
        yield from (page("third", number) for number in range(database._BATCH))
        row = SearchDocument.objects.using(index._using).get(document_id="d1")
        index._clear(row.pk, generation__lt=mark)  # the one before has been slow to clear
        yield page("third and last", 200)

    index.add(Entry(**(vars(entry()) | {"parts": parts()})), after=mark)
    assert look(index, "third").hits[0].total == database._BATCH + 1


def test_removing_leaves_ids_and_no_text(index: DatabaseIndex) -> None:
    put(index, entry("d1", Part(Kind.NAME, "secret.pdf"), page("secret"), name="secret.pdf"))
    index.remove("default", "p", "d1", after=index.mark("default", "d1"))
    row = SearchDocument.objects.using(index._using).get()
    assert (row.is_found, row.name, row.project_name, row.project_id) == (False, "", "", "p")
    with connections[index._using].cursor() as cursor:
        cursor.execute("SELECT COUNT(*) FROM search_searchwords")
        assert cursor.fetchone() == (0,)
    index.forget("9999")
    assert not SearchDocument.objects.using(index._using).exists()


def test_a_long_page_is_found_at_its_end(index: DatabaseIndex) -> None:
    put(index, entry("d1", page(" ".join(f"word{number}" for number in range(30_000)) + " needle", 4)))
    (hit,) = look(index, "needle").hits
    assert [(part.page, part.text[-6:]) for part in hit.entry.parts] == [(4, "needle")]
    assert ids(index, "word0 word29999") == ["d1"]


def test_what_no_database_takes_is_kept_without_it(index: DatabaseIndex) -> None:
    odd = f"nul\x00byte \ud800 {'x' * 5000} 🎉 end"
    put(index, entry("d1", Part(Kind.FIELD, odd, 0, "la\x00bel"), name="na\x00me"))
    (hit,) = look(index, "nul byte end").hits
    assert (hit.entry.name, next(iter(hit.entry.parts)).label) == ("na me", "la bel")
    assert ids(index, "x" * 100) == ["d1"]


def test_pages_follow_each_other_the_latest_first(index: DatabaseIndex) -> None:
    for number in range(23):
        put(index, entry(f"d{number:02}", page("same"), created_at=f"2026-11-{1 + number // 2:02}"))
    seen, cursor = [], None
    while True:
        found = look(index, "same", cursor=cursor)
        seen.append([hit.entry.document_id for hit in found.hits])
        if not (cursor := found.next):
            break
    assert [len(one) for one in seen] == [10, 10, 3]
    assert [one for some in seen for one in some] == [f"d{number:02}" for number in reversed(range(23))]


def test_a_place_in_another_search_is_none_in_this_one(index: DatabaseIndex) -> None:
    for number in range(11):
        put(index, entry(f"d{number}", page("same")))
    place = look(index, "same").next
    for asked, site, cursor in (("same", "acme", place), ("sam", "default", place), ("same", "default", "x\x00")):
        with pytest.raises(NotFound):
            look(index, asked, site=site, cursor=cursor)


@each(
    "asked",
    ["acme*", '"acme', "acme AND", "NEAR(acme, 2)", "acme:foo", "words:acme", "-acme", "^acme", "acme'); --",
     "a\\b ac'me", "acme & | ! <->", "(acme", "acme\x00me", "acme 🎉 %s %(x)s", "{words}: acme", "acme + foo",
     "ＡＣＭＥ"],
)  # fmt: skip
def test_no_sign_means_anything_to_the_database(index: DatabaseIndex, asked: str) -> None:
    put(index, entry("d1", page("acme")))
    ids(index, asked)


@pytest.mark.wide
@hypothesis_settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=at_most(60)
)
@given(asked=st.text(max_size=QUERY_LENGTH), text=st.text(max_size=50))
def test_whatever_is_stored_and_asked_is_answered(index: DatabaseIndex, asked: str, text: str) -> None:
    put(index, entry("d1", page(text), name=text))
    for one in (asked, f'"{text}"'):
        try:
            hits = look(index, one).hits
        except Refused:
            continue
        assert hits or one is asked, one


def test_one_of_nothing_that_was_heard_of_has_no_mark(index: DatabaseIndex) -> None:
    assert index.mark("default", "d1") == ""
    index.leave("default", "d1")
    assert index.mark("default", "d1") == ""


def test_who_was_not_looked_at_is_told(index: DatabaseIndex) -> None:
    put(index, entry("d1", page("one")))
    assert [one.document_id for one in index.unseen("default", "9999", 10)] == ["d1"]
    assert index.unseen("default", "2000", 10) == index.unseen("acme", "9999", 10) == []


def test_a_database_that_is_not_set_up_is_unavailable(index: DatabaseIndex) -> None:
    with connections[index._using].cursor() as cursor:
        cursor.execute("DROP TABLE search_searchwords")
    with pytest.raises(Unavailable, match="Search is unavailable"), transaction.atomic(index._using):
        look(index, "acme")
