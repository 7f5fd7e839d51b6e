"""The catalogue's pages: who may see them, what they show, and what is refused with what was typed kept."""

from typing import Any

import pytest

from config import clock
from config.brokers import queues
from config.environment import ModelEndpoint
from config.errors import Unavailable
from config.laptop import embedded_model
from projects.models import actions as model_actions
from projects.models import queries as model_queries
from projects.models.items import FAILED, WORKED, ModelTest
from tests.aws_faults import count_calls
from tests.html import one_line
from tests.people import alice, bob, charlie, dora, signed_in
from tests.projects.models.catalogue import SPEC, add_model
from tests.projects.projects import make_project

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]
LIST = "/settings/models/"
TYPED = {
    "id": "gpt-small", "name": "GPT small", "provider": "openai", "endpoint": "local", "model": "gpt-small",
    "json_schema": "on", "context": "8192", "most_tokens": "2000", "temperature": "0.2", "seconds": "30",
    "retries": "1", "at_a_time": "4", "price_in": "0.06", "price_out": "0.2400", "takeover": "bedrock-strong",
    "takeover_below": "70",
}  # fmt: skip


@pytest.fixture(autouse=True)
def endpoint(settings: Any) -> None:
    settings.MODEL_ENDPOINTS = {"local": ModelEndpoint("http://127.0.0.1:9/v1", "very-secret")}


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, str]]:
    """What was handed to a queue."""
    found: list[dict[str, str]] = []
    monkeypatch.setattr(queues, "enqueue", lambda _task, _queue, kwargs: found.append(kwargs))
    return found


def text(response) -> str:
    return one_line(response.content)


@pytest.mark.parametrize("who", [bob, charlie, dora])
def test_only_an_admin_sees_changes_or_tests_models(who, sent):
    add_model()
    browser = signed_in(who())
    for url in (LIST, f"{LIST}new/", f"{LIST}local/", f"{LIST}local/test/"):
        assert browser.get(url).status_code == 403
    for url in (f"{LIST}new/", f"{LIST}local/", f"{LIST}local/remove/", f"{LIST}local/test/"):
        assert browser.post(url, {**TYPED, "version": "1"}).status_code == 403
    assert sent == []
    assert len(model_queries.list_models("default")) == 4


def test_the_list_says_what_each_model_can_and_what_cannot_be_asked_here(monkeypatch):
    monkeypatch.setattr(embedded_model, "is_installed", lambda: False)
    add_model("far", endpoint="far", name="Far <b>", images=True, takeover="bedrock")
    with count_calls() as calls:
        page = text(signed_in(alice()).get(LIST))
    for words in ("Far &lt;b&gt;", "Endpoint not set up", "Not installed", "JSON schema", "Images", "below 70 %",
                  "For trying out the workbench; its answers are poor", "(built-in)", "Never tested"):  # fmt: skip
        assert words in page
    assert calls.names().count("dynamodb.Query") == 1


def test_no_page_shows_a_key_or_an_address():
    add_model()
    browser = signed_in(alice())
    for url in (LIST, f"{LIST}new/", f"{LIST}local/"):
        page = text(browser.get(url))
        assert "very-secret" not in page
        assert "127.0.0.1:9" not in page


def test_a_model_is_added_with_what_was_typed():
    answer = signed_in(alice()).post(f"{LIST}new/", TYPED)
    assert answer["Location"] == LIST
    spec = model_queries.get_model("default", "gpt-small")
    assert (spec.json_schema, spec.tools, spec.temperature, spec.takeover, spec.takeover_below) == (
        True, False, 0.2, "bedrock-strong", 0.7,
    )  # fmt: skip
    assert (str(spec.price_in), str(spec.price_out), spec.at_a_time) == ("0.06", "0.24", 4)


@pytest.mark.parametrize(
    ("changes", "status", "words"),
    [
        ({"name": ""}, 422, "Enter a name."),
        ({"id": "Ä"}, 422, "Use lowercase letters, digits and hyphens."),
        ({"id": "embedded"}, 409, "belongs to a built-in model"),
        ({"endpoint": ""}, 422, "Select an endpoint."),
        ({"endpoint": "http://evil/"}, 422, "Select an endpoint from the list."),
        ({"model": ""}, 422, "Enter the model ID."),
        ({"seconds": "900"}, 422, "Enter a whole number from 1 to 90."),
        ({"context": "²"}, 422, "Enter a whole number from 512 to 10,000,000."),
        ({"temperature": "3"}, 422, "Enter a number from 0 to 2."),
        ({"price_in": "-1"}, 422, "Enter an amount such as 0.06, or leave empty."),
        ({"takeover": "gone"}, 422, "Select a model from the list."),
    ],
)
def test_what_cannot_be_is_refused_and_what_was_typed_is_kept(changes, status, words):
    answer = signed_in(alice()).post(f"{LIST}new/", {**TYPED, **changes})
    assert answer.status_code == status
    assert words in text(answer)
    assert 'value="0.2400"' in text(answer)
    assert len(model_queries.list_models("default")) == 3


def test_without_endpoints_the_form_says_who_adds_one(settings):
    settings.MODEL_ENDPOINTS = {}
    answer = signed_in(alice()).post(f"{LIST}new/", {**TYPED, "endpoint": ""})
    assert "Ask the operator to add one to COUNTERSIGN_MODEL_ENDPOINTS." in text(answer)


def test_a_copy_begins_with_what_it_is_a_copy_of():
    page = text(signed_in(alice()).get(f"{LIST}new/?copy=embedded"))
    assert 'value="SmolLM2 135M (embedded) (copy)"' in page
    assert 'value="4096"' in page
    assert signed_in(alice()).get(f"{LIST}new/?copy=gone").status_code == 404


def test_a_copy_of_the_embedded_model_keeps_its_bounds():
    signed_in(alice()).post(f"{LIST}new/", {**TYPED, "provider": "embedded", "model": "x", "context": "9000"})
    spec = model_queries.get_model("default", "gpt-small")
    assert (spec.model, spec.endpoint, spec.context) == ("SmolLM2-135M-Instruct", "", 4096)


def test_of_two_admins_who_save_the_second_is_told_and_keeps_what_they_typed():
    add_model()
    browser = signed_in(alice())
    typed = {**TYPED, "name": "First", "version": "1"}
    assert browser.post(f"{LIST}local/", typed)["Location"] == LIST
    answer = browser.post(f"{LIST}local/", {**typed, "name": "Second"})
    assert answer.status_code == 409
    assert "changed this model" in text(answer)
    assert 'value="Second"' in text(answer)
    assert 'name="version" value="2"' in text(answer)


def test_a_built_in_model_is_not_edited():
    answer = signed_in(alice()).get(f"{LIST}bedrock/")
    assert answer.status_code == 422
    assert "Copy this one" in text(answer)


def test_a_model_that_a_project_asks_is_not_removed():
    add_model()
    make_project(analyzer="model", models={"answer": "local"})
    browser = signed_in(alice())
    page = text(browser.post(f"{LIST}local/remove/", {"version": "1"}, follow=True))
    assert "In use by" in page
    add_model("other")
    assert browser.post(f"{LIST}other/remove/", {"version": "1"})["Location"] == LIST
    assert {one.id for one in model_queries.list_models("default")} == {
        "bedrock",
        "bedrock-strong",
        "embedded",
        "local",
    }


def test_a_test_is_ordered_once_while_it_is_under_way(sent):
    add_model()
    browser = signed_in(alice())
    for _ in range(2):
        assert browser.post(f"{LIST}local/test/")["Location"] == LIST
    (kwargs,) = sent
    assert (kwargs["site"], kwargs["model_id"]) == ("default", "local")
    assert "Testing…" in text(browser.get(f"{LIST}local/test/"))
    assert 'hx-trigger="every 2s"' in text(browser.get(LIST))


def test_a_test_whose_worker_died_is_ordered_again(sent, monkeypatch):
    add_model()
    browser = signed_in(alice())
    browser.post(f"{LIST}local/test/")
    later = clock.now() + model_queries.TEST_TIME
    monkeypatch.setattr(clock, "now", lambda: later)
    page = text(browser.get(f"{LIST}local/test/"))
    assert "No answer after 5 minutes" in page
    assert "hx-trigger" not in page  # the page does not look again
    browser.post(f"{LIST}local/test/")
    assert len(sent) == 2


def test_without_a_queue_the_test_says_so(monkeypatch):
    def refuse(*_: Any) -> None:
        raise Unavailable("The queue does not answer.")

    monkeypatch.setattr(queues, "enqueue", refuse)
    add_model()
    browser = signed_in(alice())
    assert browser.post(f"{LIST}local/test/").status_code == 503
    assert "The queue does not answer." in text(browser.get(LIST))


def test_how_a_test_ended_is_shown_with_time_tokens_and_cost(sent):
    spec = add_model()
    browser = signed_in(alice())
    browser.post(f"{LIST}local/test/")
    numbers = {"ms": 1234, "tokens_in": 150, "tokens_out": 20, "micros": 45}
    results = [getattr(ModelTest, name).set(value) for name, value in numbers.items()]
    model_actions.end_test("default", "local", sent[0]["asked_at"], WORKED, *results, ModelTest.answer.set("<7.00>"))
    page = text(browser.get(f"{LIST}local/test/"))
    for words in ("Answered", "1.2 s", "150 tokens in", "20 out", "$0.000045", "“&lt;7.00&gt;”"):
        assert words in page
    assert "before its last change" not in page
    changed = {**TYPED, "version": "1", "temperature": "1"}
    browser.post(f"{LIST}local/", changed)
    assert "before its last change" in text(browser.get(LIST))
    assert spec.sha256 == SPEC.sha256


def test_how_a_test_failed_is_shown_in_words(sent):
    add_model()
    browser = signed_in(alice())
    browser.post(f"{LIST}local/test/")
    message = ModelTest.message.set("Model endpoint local has no model some-model.")
    model_actions.end_test("default", "local", sent[0]["asked_at"], FAILED, message)
    assert "has no model some-model." in text(browser.get(LIST))


def test_a_project_chooses_its_models_on_its_page():
    add_model("own", name="Own model")
    project = make_project()
    page = text(signed_in(alice()).get(f"/projects/{project.id}/edit/"))
    assert '<option value="own">Own model</option>' in page
    assert "Default: Bedrock" in page
