"""Batches as a program makes and follows them."""

import pytest
from django.conf import settings

from projects.sites.permissions import Permission
from tests.projects.make_sites import make_site
from tests.pump import Pump
from tests.workflows.batches import bulk
from tests.workflows.test_api import API, problem, program
from workflows.batches import queries
from workflows.storage.objects import open_object

pytestmark = pytest.mark.django_db
URL = f"{API}/batches"


def send(client, headers=None, **body):
    return client.post(URL, body, content_type="application/json", headers=headers or {})


@pytest.mark.wide
def test_a_list_of_keys_becomes_a_batch_that_is_followed_and_tried_again(pump: Pump):
    project, client = bulk.project(), program()
    wanted = [{"key": bulk.put("a.txt")}, {"key": "bulk/default/late.txt"}, {"key": "bulk/acme/a.txt"}]
    made = send(client, project_id=project.id, documents=wanted, name="Night", tolerated_percent=100)
    assert (made.status_code, made.json()["status"], made.json()["name"]) == (201, "reading", "Night")
    url = f"{URL}/{made.json()['id']}"
    bulk.ended(pump, queries.get_batch("default", made.json()["id"]))
    shown = client.get(url).json()
    assert [shown[name] for name in ("status", "total", "published", "failed", "wrong")] == ["finished", 3, 1, 1, 1]
    told = client.get(f"{url}/lines").json()["items"]
    assert [(one["line"], one["can_be_tried_again"]) for one in told] == [(2, True), (3, False)]
    bulk.put("late.txt")
    assert client.post(f"{url}/retry").json()["attempt"] == 2
    bulk.ended(pump, queries.get_batch("default", shown["id"]))
    assert (client.get(url).json()["published"], client.get(url).json()["failed"]) == (2, 0)
    problem(client.post(f"{url}/retry"), 422)


@pytest.mark.usefixtures("table")
def test_the_same_key_of_a_program_is_one_batch():
    project, client = bulk.project(), program()
    first, again = (
        send(client, {"Idempotency-Key": "tonight"}, project_id=project.id, documents=[{"key": "bulk/default/a"}])
        for _ in range(2)
    )
    other = send(client, {"Idempotency-Key": "later"}, project_id=project.id, documents=[{"key": "bulk/default/a"}])
    assert first.json()["id"] == again.json()["id"] != other.json()["id"]
    problem(send(client, {"Idempotency-Key": "x" * 256}, project_id=project.id, documents=[{"key": "a"}]), 422)


@pytest.mark.usefixtures("table")
def test_the_same_key_with_another_batch_is_refused_and_leaves_the_first_as_it_is():
    project, client, key = bulk.project(), program(), {"Idempotency-Key": "tonight"}
    documents = [{"key": "bulk/default/a"}]
    made = send(client, key, project_id=project.id, documents=documents).json()
    manifest = str(queries.get_batch("default", made["id"]).manifest)
    body = open_object(manifest).read()
    for changed, words in (
        ({"documents": [{"key": "bulk/default/b"}]}, "another manifest"),
        ({"project_id": bulk.project(name="Other").id}, "another project"),
        ({"name": "Night"}, "another name"),
        ({"tolerated_percent": 1}, "another limit of failures"),
    ):
        wish = {"project_id": project.id, "documents": documents, **changed}
        assert f"used for a batch with {words}. Nothing" in str(problem(send(client, key, **wish), 422)["detail"])
    assert open_object(manifest).read() == body
    assert str(queries.get_batch("default", made["id"]).manifest) == manifest


@pytest.mark.usefixtures("table")
def test_an_empty_idempotency_key_is_refused_and_makes_nothing():
    project, client = bulk.project(), program()
    answer = send(client, {"Idempotency-Key": ""}, project_id=project.id, documents=[{"key": "bulk/default/a"}])
    assert "is empty" in str(problem(answer, 422)["detail"])
    assert not queries.list_batches("default").rows


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize(
    ("changed", "name", "at"),
    [
        ({"slot": 2}, "slot", "slot"),
        ({"documents": [{"key": "bulk/default/a", "projekt": "B"}]}, "projekt", "documents.0.projekt"),
    ],
)
def test_an_entry_that_nothing_reads_is_refused_by_name_and_makes_nothing(changed, name, at):
    wish = {"project_id": bulk.project().id, "documents": [{"key": "bulk/default/a"}], **changed}
    told = problem(send(program(), **wish), 422)
    assert f"Unknown entries: “{name}”." in str(told["detail"])
    assert [one["where"] for one in told["errors"]] == [at]
    assert not queries.list_batches("default").rows


@pytest.mark.usefixtures("table")
def test_what_cannot_be_made_or_is_not_theirs_is_a_problem():
    project, client = bulk.project(), program()
    problem(send(client, project_id=project.id), 422)
    problem(send(client, project_id=project.id, manifest="bulk/default/none.csv"), 422)
    problem(send(client, project_id=project.id, documents=[{"key": "a"}], slots=101), 422)
    problem(send(client, project_id="none", documents=[{"key": "a"}]), 404)
    problem(send(program(Permission.READ), project_id=project.id, documents=[{"key": "a"}]), 403)
    problem(client.get(f"{URL}/none"), 404)
    problem(client.get(f"{URL}/none/lines"), 404)


@pytest.mark.wide
def test_a_batch_is_widened_cancelled_and_goes_on(pump: Pump):
    project, client = bulk.project(), program()
    wanted = [{"key": key} for key in bulk.many(3)]
    made = send(client, project_id=project.id, documents=wanted, slots=1)
    url = f"{URL}/{made.json()['id']}"
    assert client.put(f"{url}/slots", {"slots": 2}, content_type="application/json").json()["slots"] == 2
    problem(client.put(f"{url}/slots", {"slots": 0}, content_type="application/json"), 422)
    assert client.post(f"{url}/cancel").json()["status"] == "cancelled"
    problem(client.post(f"{url}/cancel"), 409)
    pump.run()
    problem(program(Permission.READ).post(f"{url}/continue"), 403)
    assert client.post(f"{url}/continue").json()["status"] == "reading"
    assert bulk.ended(pump, queries.get_batch("default", made.json()["id"])).published == 3
    problem(client.post(f"{url}/continue"), 422)


@pytest.mark.usefixtures("table")
def test_batches_are_listed_newest_first_in_pages_and_for_their_site_only():
    project, client = bulk.project(), program(Permission.READ)
    line = [{"key": bulk.put("a.txt")}]
    made = [bulk.make(project, line).id for _ in range(settings.PAGE_SIZE + 1)]
    first = client.get(URL).json()
    assert [one["id"] for one in first["items"]] == made[:0:-1]
    rest = client.get(URL, {"after": first["next"]}).json()
    assert [one["id"] for one in rest["items"]] == [made[0]]
    assert rest["items"][0] == client.get(f"{URL}/{made[0]}").json()
    problem(client.get(URL, {"after": "none"}), 404)
    problem(program(Permission.WRITE).get(URL), 403)
    make_site("acme")
    assert program(Permission.READ, site="acme").get(URL).json() == {"items": [], "next": None}
