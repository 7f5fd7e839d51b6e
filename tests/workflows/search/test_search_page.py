"""The page of the search: what it shows, what it says where there is nothing to show, who may see what."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from projects.sites.permissions import EVERYTHING
from tests.aws_faults import count_calls
from tests.people import alice, charlie, dora, signed_in
from tests.projects.make_sites import grant, make_site
from tests.projects.policies.writing import BROKEN, save
from workflows.search.index import Entry, Kind, Part, search_index

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]
RUN = "01HZZZZZZZZZZZZZZZZZZZZZZ0"


def put(document_id: str, *parts: Part, site: str = "default", name: str = "a.pdf", at: str = "2026-11-20") -> None:
    entry = Entry(
        site=site, document_id=document_id, project_id="p", project_name="Receipts", name=name,
        file_type="application/pdf", run_id=RUN, status="published", created_at=f"{at}T12:00:00+00:00",
        parts=(Part(Kind.NAME, name), *parts),
    )  # fmt: skip
    search_index().add(entry, after="")


def words(html: bytes) -> str:
    """What a reader sees of a page."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", "", html.decode()))


def page_of(text: str, **more: str) -> bytes:
    answer = signed_in(charlie()).get("/search/", {"q": text, **more})
    assert answer.status_code == 200, text
    return answer.content


def test_a_hit_leads_to_its_document_and_its_page() -> None:
    put(
        "d1", Part(Kind.FIELD, "Müller GmbH", 0, "Company"), Part(Kind.PAGE, "Dear Müller,\nthank you", 2), name="x.pdf"
    )
    html = page_of("muller")
    assert b"Dear <mark>M\xc3\xbcller</mark>, thank you" in html
    assert f'<a href="/workflows/d1/{RUN}/segments/2/">Page 3</a>'.encode() in html
    assert f'<a href="/workflows/d1/{RUN}/segments/0/">Company</a>'.encode() in html
    assert b'href="/documents/d1/"' in html
    assert b'href="/projects/p/"' in html
    assert "Published" in words(html)
    assert "20 Nov 2026" in words(html)


def test_what_a_document_says_is_text_and_no_markup() -> None:
    put("d1", Part(Kind.PAGE, "<script>alert(1)</script> acme <b>bold</b>", 0), name="<img src=x>acme.pdf")
    html = page_of("acme")
    assert b"<script>alert" not in html
    assert b"<img src=x>" not in html
    assert b"&lt;script&gt;alert(1)&lt;/script&gt; <mark>acme</mark> &lt;b&gt;" in html
    html = page_of('<script>"acme"</script>')
    assert b"<script>&quot;" not in html
    assert b'value="&lt;script&gt;' in html


def test_a_field_without_a_page_leads_to_the_run() -> None:
    put("d1", Part(Kind.FIELD, "Acme", None, "Company"))
    assert f'<a href="/workflows/d1/{RUN}/">Company</a>'.encode() in page_of("acme")


def test_the_places_that_are_not_listed_are_counted() -> None:
    put("d1", *(Part(Kind.PAGE, f"acme {number}", number) for number in range(9)))
    assert "6 more matches in this document" in words(page_of("acme"))


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("", "Search documents"),
        ("   ", "Search documents"),
        ("nowhere", "No documents match"),
        ("a", "Enter at least two letters"),
        ('"', "Enter at least two letters"),
        ("*", "Enter at least two letters"),
        ("AND", "Enter at least two letters"),
        ("\x00", "Enter at least two letters"),
        ("🎉", "Enter at least two letters"),
        ("x" * 10_000, "at most 200 characters"),
        ("one two three four five six seven eight nine", "at most 8 words"),
        ("acme OR", "No documents match"),
        ("NEAR(acme acme)", "No documents match"),
    ],
)
def test_there_is_an_answer_to_everything(asked: str, said: str) -> None:
    put("d1", Part(Kind.PAGE, "acme"))
    assert said in words(page_of(asked))


@pytest.mark.parametrize(
    "asked", ["acme*", '"acme', "acme AND", "ac\x00 acme", "acme 🎉", "Ａｃｍｅ", "acme' --", "%acme%"]
)
def test_signs_are_no_language(asked: str) -> None:
    put("d1", Part(Kind.PAGE, "acme, ac", 0))
    assert b"/documents/d1/" in page_of(asked)


@pytest.mark.parametrize(("asked", "text"), [("発票", "電子発票番号"), ("straße", "STRASSE 1"), ("größ", "Grösse")])
def test_every_script_is_searched(asked: str, text: str) -> None:
    put("d1", Part(Kind.PAGE, text, 0))
    assert b"/documents/d1/" in page_of(asked)


def test_pages_of_results_lead_on_and_back() -> None:
    for number in range(12):
        put(f"d{number:02}", Part(Kind.PAGE, "acme"), at=f"2026-11-{number + 1:02}")
    first = page_of("acme")
    (link,) = re.findall(rb'rel="next"\s+href="([^"]*)"', first)
    answer = signed_in(charlie()).get(link.decode().replace("&amp;", "&"))
    assert [number for number in range(12) if f"/documents/d{number:02}/".encode() in first] == list(range(2, 12))
    assert [number for number in range(12) if f"/documents/d{number:02}/".encode() in answer.content] == [0, 1]
    assert b"First page" in answer.content
    assert signed_in(charlie()).get("/search/", {"q": "acm", "after": "x\x00"}).status_code == 404


def test_a_site_shows_nothing_of_another() -> None:
    make_site("acme", "Tenant")
    grant("acme", "admins", *EVERYTHING)
    put("d1", Part(Kind.PAGE, "secret of ours"))
    put("d1", Part(Kind.PAGE, "secret of theirs"), site="acme")
    browser = signed_in(alice())
    ours, theirs = (browser.get(f"{root}/search/", {"q": "secret"}).content for root in ("", "/s/acme"))
    assert ("of ours" in words(ours), "of theirs" in words(ours)) == (True, False)
    assert ("of ours" in words(theirs), "of theirs" in words(theirs)) == (False, True)
    assert b'href="/s/acme/documents/d1/"' in theirs
    assert b'action="/s/acme/search/"' in theirs


def test_who_may_not_read_may_not_search() -> None:
    put("d1", Part(Kind.PAGE, "acme"))
    answer = signed_in(dora()).get("/search/", {"q": "acme"})
    assert answer.status_code == 403
    assert b"data-search-box" not in answer.content


def test_it_asks_the_database_twice_and_the_table_never() -> None:
    put("d1", Part(Kind.PAGE, "acme"))
    browser = signed_in(charlie())
    browser.get("/search/", {"q": "acme"})  # what is personal on the site is remembered for seconds
    with (
        CaptureQueriesContext(
            connection,
        ) as asked,
        count_calls() as calls,
    ):
        browser.get("/search/", {"q": "acme"})
    assert calls.names() == []
    assert len(asked) == 4  # session, user, documents, their parts


def test_every_page_has_the_box_and_the_search_has_one() -> None:
    browser = signed_in(alice())
    version = save(BROKEN)
    for path in ("/projects/", "/search/", "/settings/audit/", f"/settings/policies/{version}/"):
        assert browser.get(path).content.count(b"data-search-box") == 1
