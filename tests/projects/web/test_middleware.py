import re
from urllib.parse import quote

import pytest
from django.urls import reverse

from projects.sites import actions as site_actions
from projects.sites.permissions import Permission
from tests.aws_faults import fail
from tests.each import each
from tests.html import one_line
from tests.people import PASSWORD, bob, dora, person, signed_in
from tests.projects.make_sites import BY, grant, make_site

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.urls("tests.projects.raising_urls"),
    pytest.mark.usefixtures("table"),
]
ERRORS = [
    ("missing", 404, "Document not found."),
    ("forbidden", 403, "You may look, not decide."),
    ("late", 409, "Bob Ito decided this at 14:31:52."),
    ("refused", 422, "The file is empty. Send one with pages."),
    ("away", 503, "The database is not responding."),
]


@each(("name", "status", "words"), ERRORS)
def test_a_domain_error_is_a_page_with_its_status_and_sentence(name, status, words):
    answer = signed_in(bob()).get(f"/fail/{name}/")
    page = one_line(answer.content)
    assert answer.status_code == status
    assert words in page
    assert f'<p class="code">{status}</p>' in page
    assert answer["Cache-Control"] == "no-store"


@each(("name", "status", "words"), ERRORS)
def test_htmx_gets_the_sentence_alone(name, status, words):
    answer = signed_in(bob(), htmx=True).get(f"/fail/{name}/")
    page = one_line(answer.content)
    assert (answer.status_code, "<html" in page, "data-message" in page) == (status, False, True)
    assert words in page
    assert "HX-Request" in answer["Vary"]


@pytest.mark.parametrize("header", ["hx-boosted", "hx-history-restore-request"])
def test_a_boosted_link_and_a_restored_entry_get_the_page(header):
    answer = signed_in(bob(), htmx=True).get("/fail/missing/", headers={header: "true"})
    assert b"<html" in answer.content


def test_an_error_of_ours_is_a_500_that_says_what_is_safe():
    browser = signed_in(bob())
    browser.raise_request_exception = False
    answer = browser.get("/fail/broken/")
    assert answer.status_code == 500
    assert b"Saved data is safe" in answer.content
    assert b"nobody turned" not in answer.content
    assert answer["X-Request-Id"].encode() in answer.content


def test_a_page_that_cannot_be_shown_says_by_what_the_log_knows_it():
    answer = signed_in(bob()).get("/fail/missing/")
    assert answer["X-Request-Id"] in one_line(answer.content)


def test_a_page_asks_for_a_sign_in_and_comes_back_to_itself(client):
    assert client.get("/where/?x=1")["Location"] == "/login/?next=/where/%3Fx%3D1"
    assert client.get("/open/").content == b"ok"


@pytest.mark.parametrize(
    ("came_from", "back"),
    [
        ("http://testserver/s/acme/where/?x=1", "/s/acme/where/?x=1"),
        ("https://elsewhere.example/where/", "/"),
        ("http://testserver@elsewhere.example/", "/"),
        ("", "/"),
    ],
)
def test_a_form_that_was_sent_without_a_session_leads_back_to_its_page(client, came_from, back):
    answer = client.post("/where/", headers={"referer": came_from})
    assert answer["Location"] == f"/login/?next={quote(back)}"


def test_htmx_is_told_that_the_session_ended_and_gets_no_sign_in_page(client):
    answer = client.get("/where/", headers={"hx-request": "true"})
    assert answer.status_code == 401
    assert b"Your input is kept" in answer.content
    assert b"<form" not in answer.content


def test_the_default_site_has_no_prefix():
    assert signed_in(bob()).get("/where/").content == b"default /where/"


def test_a_prefix_names_the_site_and_goes_before_every_url():
    browser = signed_in(bob())
    assert browser.get("/s/default/where/").content == b"default /s/default/where/"
    assert browser.get("/where/").content == b"default /where/"  # the prefix went with its request
    assert reverse("where") == "/where/"


def test_a_site_of_mine_is_opened_under_its_prefix():
    make_site("acme")
    grant("acme", "reviewers", Permission.READ)
    browser = signed_in(bob())
    assert browser.get("/s/acme/where/").content == b"acme /s/acme/where/"
    assert browser.get("/where/").content == b"default /where/"


@pytest.mark.parametrize("path", ["/s/acme/where/", "/s/closed/where/", "/s/acme", "/s//where/", "/s/../w/"])
def test_a_site_that_is_not_mine_is_closed_or_is_not_there_answers_alike(path):
    make_site("acme")
    make_site("closed", closed=True)
    grant("closed", "reviewers", Permission.READ)
    browser = signed_in(bob())
    answer, other = browser.get(path), browser.get("/s/nowhere/")
    assert answer.status_code == other.status_code == 404
    assert without_nonce(answer) == without_nonce(other)


def without_nonce(answer):
    own = rb'nonce="[^"]+"|"X-CSRFToken": "[^"]+"|value="[^"]+"|' + answer["X-Request-Id"].encode()
    return re.sub(own, b"", answer.content)


@pytest.mark.parametrize("site", ["acme", "nowhere", "closed", "No!"])
def test_who_is_not_signed_in_learns_of_no_site(client, site):
    make_site("acme")
    make_site("closed", closed=True)
    assert client.get(f"/s/{site}/where/")["Location"] == f"/login/?next={quote(f'/s/{site}/where/')}"
    assert client.get(f"/s/{site}/open/").status_code == 302
    assert client.get(f"/s/{site}/where/", headers={"hx-request": "true"}).status_code == 401


def test_a_site_that_is_closed_is_gone_at_once_for_who_closes_it_and_comes_back():
    site = make_site("acme")
    grant("acme", "reviewers", Permission.READ)
    browser = signed_in(bob())
    assert browser.get("/s/acme/where/").status_code == 200
    closed = site_actions.close_site("acme", version=site.version, by=BY)
    assert browser.get("/s/acme/where/").status_code == 404
    site_actions.reopen_site("acme", version=closed.version, by=BY)
    assert browser.get("/s/acme/where/").status_code == 200


def test_while_sites_cannot_be_read_the_answer_is_503():
    make_site("acme")
    browser = signed_in(bob())
    with fail("dynamodb", "GetItem", error_code="InternalServerError", times=9):
        assert browser.get("/s/acme/where/").status_code == 503


def test_signing_in_asks_again_without_saying_which_was_wrong(client):
    bob()
    answer = client.post("/login/", {"username": "bob", "password": "wrong", "next": "/where/"})
    page = one_line(answer.content)
    assert answer.status_code == 200
    assert 'role="alert"' in page
    assert 'value="bob"' in page
    assert "Incorrect username or password" in page
    assert "wrong" not in page


@pytest.mark.parametrize(
    ("asked", "reached"),
    [("/where/?x=1", "/where/?x=1"), ("https://elsewhere.example/", "/"), ("//elsewhere.example", "/")],
)
def test_signing_in_returns_to_the_page_asked_for_on_this_desk_only(client, asked, reached):
    bob()
    answer = client.post("/login/", {"username": "bob", "password": PASSWORD, "next": asked})
    assert (answer.status_code, answer["Location"]) == (302, reached)


def test_who_works_on_another_site_only_lands_there(client):
    make_site("acme")
    grant("acme", "tenants", Permission.READ)
    person("tom", "T", "tenants")
    answer = client.post("/login/", {"username": "tom", "password": PASSWORD})
    assert answer["Location"] == "/s/acme/"
    assert client.get("/s/acme/login/")["Location"] == "/s/acme/"
    assert client.get("/login/")["Location"] == "/s/acme/"


def test_who_may_be_nowhere_yet_lands_where_that_is_said(client):
    dora()
    assert client.post("/login/", {"username": "dora", "password": PASSWORD})["Location"] == "/"


def test_signing_in_works_while_sites_cannot_be_read(client):
    grant("default", "new", Permission.READ)
    person("nora", "N", "new")
    with fail("dynamodb", "Query", error_code="InternalServerError", times=9):
        assert client.post("/login/", {"username": "nora", "password": PASSWORD})["Location"] == "/"


def test_signing_out_is_a_post():
    browser = signed_in(bob())
    assert browser.get("/logout/").status_code == 405
    assert browser.post("/logout/")["Location"] == "/login/"
    assert browser.get("/where/").status_code == 302


def test_signing_out_empties_the_cache_even_if_the_session_has_ended_already():
    browser = signed_in(bob())
    for _ in range(2):
        assert browser.post("/logout/")["Clear-Site-Data"] == '"cache"'


def test_the_policy_lets_no_inline_script_or_style_run(client):
    policy = client.get("/login/")["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "nonce" not in policy
    assert policy == client.get("/where/")["Content-Security-Policy"]
    page = one_line(client.get("/login/").content)
    assert " style=" not in page
    assert "<style" not in page
    assert " onclick=" not in page
    assert page.count("<script") == page.count("<script src=") + page.count('<script type="module" src=')
