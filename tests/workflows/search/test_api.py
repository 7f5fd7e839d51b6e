import pytest
from django.test import Client

from projects.sites import api_keys
from projects.sites.permissions import Permission
from tests.each import each
from tests.people import alice, signed_in
from tests.projects.make_sites import BY, make_site
from tests.workflows.search.test_search_page import RUN, put
from workflows.search.index import Kind, Part

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]
URL = "/api/v1/search"


def program(*permissions: Permission, site: str = "default") -> Client:
    _, key = api_keys.create_api_key(site, "Finder", permissions, by=BY)
    return Client(headers={"Authorization": f"Bearer {key}"})


def test_a_program_finds_documents_with_their_places() -> None:
    put("d1", Part(Kind.FIELD, "Acme", 0, "Company"), Part(Kind.PAGE, "Dear Acme", 2), name="x.pdf")
    answer = program(Permission.READ).get(URL, {"q": "acme"})
    assert answer.json() == {
        "items": [
            {
                "document_id": "d1", "run_id": RUN, "project_id": "p", "name": "x.pdf", "file_type": "application/pdf",
                "status": "published", "created_at": "2026-11-20T12:00:00+00:00", "total": 2,
                "places": [
                    {"kind": "field", "page": 0, "label": "Company", "text": "Acme", "found": ["Acme"]},
                    {"kind": "page", "page": 2, "label": None, "text": "Dear Acme", "found": ["Acme"]},
                ],
            }
        ],
        "next": None,
    }  # fmt: skip


def test_results_come_in_pages() -> None:
    for number in range(11):
        put(f"d{number:02}", Part(Kind.PAGE, "acme"), at=f"2026-11-{number + 1:02}")
    client = program(Permission.READ)
    first = client.get(URL, {"q": "acme"}).json()
    second = client.get(URL, {"q": "acme", "after": first["next"]}).json()
    assert [one["document_id"] for one in second["items"]] == ["d00"]
    assert second["next"] is None
    assert client.get(URL, {"q": "acme", "after": "forged"}).status_code == 404


def test_it_is_of_the_keys_site_and_needs_read() -> None:
    make_site("acme")
    put("d1", Part(Kind.PAGE, "secret"))
    assert program(Permission.READ, site="acme").get(URL, {"q": "secret"}).json()["items"] == []
    assert program(Permission.WRITE).get(URL, {"q": "secret"}).status_code == 403
    assert signed_in(alice()).get(URL, {"q": "secret"}).status_code == 401


@each("asked", ["", "a", "*", "x" * 10_000, "\x00", "🎉"])
def test_what_cannot_be_looked_for_is_a_problem(asked: str) -> None:
    answer = program(Permission.READ).get(URL, {"q": asked})
    assert answer.status_code == 422
    assert answer.json()["detail"]
    assert program(Permission.READ).get(URL).status_code == 422
