"""Legal hold: placed once, released by who saw it, and no deletion in between."""

import pytest

from config.errors import Conflict, NotFound, Refused
from projects.documents import queries as document_queries
from projects.documents.actions import hold, properties
from tests.factories import SITE, start_run
from tests.html import one_line
from tests.people import alice, bob, charlie, signed_in
from tests.workflows.removing import MARTA, ROSA
from workflows.definitions.blueprint import DOCUMENT_ANALYSIS
from workflows.documents.actions import removals
from workflows.runs import queries
from workflows.runs.actions import advance

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]
REASON = "Claim 17 <Mill>"


@pytest.fixture
def document_id() -> str:
    run = start_run()
    advance.fail(run, DOCUMENT_ANALYSIS, queries.execution(run), attempt=1, error="E", sentence="Not readable.")
    return run.document_id


def held(document_id: str) -> str:
    hold.place_hold(SITE, document_id, REASON, by=ROSA)
    return str(document_queries.get_document(SITE, document_id).hold_at)


def told(document_id: str) -> list[tuple[str, str | None, str | None]]:
    rows = document_queries.list_activities(SITE, document_id).rows
    return [(row.user_name, one["before"], one["after"]) for row in rows for one in row.changes or ()]


def test_what_is_on_hold_is_not_deleted_until_it_is_released(document_id: str) -> None:
    since = held(document_id)
    with pytest.raises(Refused, match="legal hold"):
        removals.delete_document(SITE, document_id, by=MARTA)
    properties.add_tag(SITE, document_id, "shelf", "1", by=MARTA)
    hold.release_hold(SITE, document_id, since=since, by=MARTA)
    assert told(document_id)[0] == (MARTA.name, REASON, None)
    assert (ROSA.name, None, REASON) in told(document_id)
    removals.delete_document(SITE, document_id, by=MARTA)
    with pytest.raises(NotFound):
        hold.place_hold(SITE, document_id, REASON, by=ROSA)


def test_a_deletion_that_a_hold_overtakes_is_refused(document_id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    waiting = [lambda: hold.place_hold(SITE, document_id, REASON, by=ROSA)]
    real = removals._write

    def overtaken(*args: object, **more: object) -> None:
        if waiting:
            waiting.pop()()
        real(*args, **more)

    monkeypatch.setattr(removals, "_write", overtaken)
    with pytest.raises(Refused, match="legal hold"):
        removals.delete_document(SITE, document_id, by=MARTA)
    assert document_queries.get_document(SITE, document_id).hold_by == ROSA.id


def test_the_second_of_two_is_told_who_was_first(document_id: str) -> None:
    since = held(document_id)
    with pytest.raises(Conflict, match=ROSA.name):
        hold.place_hold(SITE, document_id, "Another case", by=MARTA)
    hold.release_hold(SITE, document_id, since=since, by=MARTA)
    with pytest.raises(Conflict, match="Nothing was released"):
        hold.release_hold(SITE, document_id, since=since, by=ROSA)


@pytest.mark.parametrize("reason", ["", "  ", "x" * 301])
def test_it_needs_a_reason(document_id: str, reason: str) -> None:
    with pytest.raises(Refused):
        hold.place_hold(SITE, document_id, reason, by=ROSA)


def test_the_page_places_it_shows_it_and_releases_it(document_id: str) -> None:
    ada, own = signed_in(alice()), f"/documents/{document_id}/"
    assert f"{own}hold/" in one_line(ada.get(own).content)
    assert ada.post(f"{own}hold/", {"reason": " "}).status_code == 422
    assert ada.post(f"{own}hold/", {"reason": REASON})["Location"] == own
    for who in (alice, bob, charlie):
        page = one_line(signed_in(who()).get(own).content)
        assert "On legal hold" in page
        assert "Claim 17 &lt;Mill&gt;" in page
        assert (f"{own}hold/" in page) == (who is alice)
    assert "It can be deleted when the hold is released" in one_line(ada.get(f"{own}delete/").content)
    assert ada.post(f"{own}delete/").status_code == 422
    assert ada.post(f"{own}hold/", {"reason": "Again"}).status_code == 409
    assert ada.post(f"{own}hold/", {"op": "release", "since": "2020"}).status_code == 409
    since = document_queries.get_document(SITE, document_id).hold_at
    assert ada.post(f"{own}hold/", {"op": "release", "since": since})["Location"] == own
    assert "On legal hold" not in one_line(ada.get(own).content)
    for who in (bob, charlie):
        assert signed_in(who()).post(f"{own}hold/", {"reason": REASON}).status_code == 403
