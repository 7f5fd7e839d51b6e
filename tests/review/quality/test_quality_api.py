"""Second reviews by API: how reviewers agree, and which differences wait."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from config import clock
from projects.audit.events import actor_of
from projects.queues import actions as queue_actions
from projects.sites.api_keys import create_api_key
from projects.sites.permissions import Permission
from tests.factories import MARTA, ROSA
from tests.people import alice, bob
from tests.projects.make_sites import BY, make_site
from tests.review.quality.checks import disputed, open_check, settle
from tests.review.reviews import person
from tests.workflows.test_api import API, problem, program

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("desk")]
URL = f"{API}/quality"


@pytest.fixture(autouse=True)
def ids_apart(db: None) -> None:
    for one in (ROSA, MARTA):
        User.objects.create(pk=int(one.id), username=one.name, first_name=one.name)


def token_of(who: User) -> Client:
    _, key = create_api_key("default", "Mine", list(Permission), by=actor_of(who), personal=True)
    return Client(headers={"Authorization": f"Bearer {key}"})


def test_each_key_gets_the_figures_that_its_person_sees_on_the_page() -> None:
    run, ref = open_check(first={"total": "38.90"})
    settle(run, ref, by=person(bob()), total="38.90")
    (mine,) = token_of(bob()).get(URL).json()["reviewers"]
    assert (mine["name"], mine["known"], mine["documents"]["agreed"]) == ("Bob Ito", None, 1)
    assert round(mine["documents"]["low"], 2) == 0.21
    everybody = token_of(alice()).get(URL).json()["reviewers"]
    assert [one["name"] for one in everybody] == ["Bob Ito", ROSA.name]
    assert everybody[1]["corrections_confirmed"] == 1
    assert ("Total", 1.0) in [(one["field"], one["share"]) for one in everybody[0]["fields"]]
    assert everybody[0]["known"] == {"agreed": 0, "differed": 0, "share": None, "low": None, "high": None}
    assert program(Permission.READ).get(URL).json() == {"reviewers": []}
    problem(token_of(alice()).get(URL, {"project_id": "none"}), 404)
    problem(program(Permission.READ).get(URL, {"period": "year"}), 422)
    problem(program(Permission.WRITE).get(URL), 403)


def test_differences_are_listed_without_telling_who_answered_what() -> None:
    _, ref = disputed()
    answer = program(Permission.READ).get(f"{URL}/disputes")
    (found,) = answer.json()["items"]
    assert (found["document_id"], found["review_id"]) == (ref.document_id, ref.review_id)
    assert found["fields"] == ["Total"]
    assert ROSA.name not in answer.content.decode()
    assert "38.90" not in answer.content.decode()
    problem(program(Permission.READ).get(f"{URL}/disputes", {"queue": "none"}), 404)
    closed = queue_actions.create_queue("default", "Payroll", ["admins"], by=BY, queue_id=clock.new_ulid())
    problem(token_of(bob()).get(f"{URL}/disputes", {"queue": closed.id}), 404)


def test_no_site_sees_the_second_reviews_of_another() -> None:
    make_site("acme")
    run, ref = open_check(first={"total": "38.90"})
    settle(run, ref, total="39.90")
    elsewhere = program(Permission.READ, Permission.ADMIN, site="acme")
    assert elsewhere.get(URL).json() == {"reviewers": []}
    assert elsewhere.get(f"{URL}/disputes").json() == {"items": [], "next": None}
