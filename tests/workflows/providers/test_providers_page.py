"""The services page, and the banner of a run that waits for one of them."""

import datetime as dt

import pytest
from botocore.exceptions import ClientError, NoCredentialsError

from config import aws, clock
from config.errors import Conflict, StageFailed
from config.laptop import embedded_model
from tests.factories import start_run
from tests.html import one_line
from tests.people import alice, bob, signed_in
from workflows.definitions.blueprint import DOCUMENT_ANALYSIS
from workflows.engine import actions
from workflows.providers import actions as provider_actions
from workflows.providers import queries as providers_queries
from workflows.providers import views as providers_views
from workflows.providers.calls import Caller
from workflows.providers.items import ProviderState
from workflows.providers.names import PROVIDERS
from workflows.runs import queries

pytestmark = pytest.mark.django_db

SOON = "2026-11-21"


@pytest.fixture(autouse=True)
def forgotten(settings):
    settings.PROVIDER_FAILURES = 2
    provider_actions.forget_provider_state()
    yield
    provider_actions.forget_provider_state()


def page(who=alice) -> str:
    return one_line(signed_in(who()).get("/settings/services/").content)


def marks() -> dict[str, str]:
    rows = signed_in(alice()).get("/settings/services/").context["rows"]
    return {row.label: row.mark.words for row in rows}


def test_what_was_never_set_up_or_never_asked_is_not_called_operational(table, settings, monkeypatch):
    monkeypatch.setattr(embedded_model, "is_installed", lambda: False)
    assert set(marks().values()) == {"Not configured"}
    assert len(marks()) == 6
    assert "Built-in rules" in page()
    settings.OCR_ENDPOINT_URL, settings.BDA_PROJECT_ARN = "https://models.example.org/ocr", "arn:aws:bedrock:x"
    monkeypatch.setattr(aws, "provider_credentials", lambda: True)
    monkeypatch.setattr(embedded_model, "is_installed", lambda: True)
    assert set(marks().values()) == {"Not used yet"}


def test_endpoints_that_the_deployer_names_are_set_up():
    assert providers_views.is_set_up("endpoint-gpu")
    assert not providers_views.is_set_up("endpoint")


def test_one_that_was_never_set_up_shows_the_error_of_the_run_that_failed_for_it(table):
    textract = Caller(PROVIDERS["textract"], provider_actions, 4)

    def no_credentials():
        raise NoCredentialsError

    with pytest.raises(StageFailed):
        textract(no_credentials)
    assert marks()["Amazon Textract"] == "Not configured"
    assert "NoCredentialsError" in page()


@pytest.mark.parametrize("code", ["AccessDeniedException", "ExpiredTokenException", "ResourceNotFoundException"])
def test_one_that_does_not_let_us_in_fails_until_a_call_goes_through(table, monkeypatch, code):
    monkeypatch.setattr(aws, "provider_credentials", lambda: True)
    textract = Caller(PROVIDERS["textract"], provider_actions, 4)

    def refused():
        raise ClientError({"Error": {"Code": code}, "ResponseMetadata": {"HTTPStatusCode": 400}}, "Converse")

    for _ in range(3):
        with pytest.raises(StageFailed):
            textract(refused)
    assert marks()["Amazon Textract"] == "Failing"
    assert f"{code}, <time" in page()
    (state,) = providers_queries.provider_states()
    assert (int(state.failures), state.open_until, state.failed_at == state.refused_at) == (0, None, True)
    assert textract(lambda: "read") == "read"
    assert marks()["Amazon Textract"] == "Operational"
    assert code in page()  # the last error stays, with its time


def test_a_document_that_is_refused_is_no_trouble_of_the_service(table, monkeypatch):
    textract = Caller(PROVIDERS["textract"], provider_actions, 4)

    def refused():
        raise ClientError({"Error": {"Code": "BadDocumentException"}, "ResponseMetadata": {"HTTPStatusCode": 400}}, "x")

    with pytest.raises(StageFailed):
        textract(refused)
    assert marks()["Amazon Textract"] == "Operational"


def test_that_it_works_is_noted_once_in_some_minutes(table):
    textract = Caller(PROVIDERS["textract"], provider_actions, 4)
    textract(lambda: "read")
    (state,) = providers_queries.provider_states()
    provider_actions.forget_provider_state()
    textract(lambda: "read")
    (same,) = providers_queries.provider_states()
    assert same.worked_at == state.worked_at
    long_ago = clock.iso(clock.now() - dt.timedelta(minutes=11))
    ProviderState.change(state.key, [ProviderState.worked_at.set(long_ago)], ProviderState.PK.exists())
    provider_actions.forget_provider_state()
    textract(lambda: "read")
    (later,) = providers_queries.provider_states()
    assert later.worked_at > long_ago


def test_that_it_works_does_not_take_back_what_failed_meanwhile(table):
    provider_actions.record_success("textract")
    (state,) = providers_queries.provider_states()
    long_ago = clock.iso(clock.now() - dt.timedelta(minutes=11))
    ProviderState.change(state.key, [ProviderState.worked_at.set(long_ago)], ProviderState.PK.exists())
    provider_actions.forget_provider_state()
    provider_actions.admit_call("textract")  # this process remembers a service without trouble
    ProviderState.change(state.key, [ProviderState.failures.set(1)], ProviderState.PK.exists())
    provider_actions.record_success("textract")
    (state,) = providers_queries.provider_states()
    assert (int(state.failures), state.worked_at) == (1, long_ago)


@pytest.mark.parametrize(
    ("engine", "broker", "words"),
    [("stepfunctions", "sqs", "Step Functions, on SQS"), ("celery", "rabbitmq", "Messages, on RabbitMQ")],
)
def test_it_says_what_drives_the_runs(table, settings, engine, broker, words):
    settings.ENGINE, settings.BROKER = engine, broker
    assert f"<dd>{words}</dd>" in one_line(signed_in(alice()).get("/settings/services/").content)


def test_one_that_failed_and_one_that_is_paused_say_so(table, monkeypatch):
    monkeypatch.setattr(aws, "provider_credentials", lambda: True)
    provider_actions.record_failure("textract", "ThrottlingException")
    assert marks()["Amazon Textract"] == "Failing"
    provider_actions.record_failure("textract", "ThrottlingException")
    found = page()
    assert marks()["Amazon Textract"] == "Paused"
    assert "ThrottlingException, 2 in a row" in found
    (state,) = providers_queries.provider_states()
    past = clock.iso(clock.now() - dt.timedelta(seconds=1))
    ProviderState.change(state.key, [ProviderState.open_until.set(past)], ProviderState.PK.exists())
    assert marks()["Amazon Textract"] == "Retrying"


def test_it_is_for_admins(table):
    assert signed_in(bob()).get("/settings/services/").status_code == 403
    assert "/settings/services/" in one_line(signed_in(alice()).get("/settings/").content)


def waiting(why: str):
    run = start_run()
    step = DOCUMENT_ANALYSIS.steps[0]
    actions.claim_step(run, step=1, attempt=1, owner="w")
    actions.begin_external_job(run, step, attempt=1, owner="w", job="{}", service="textract", why=why, until=SOON)
    return run


def run_page(run, who=bob) -> str:
    return signed_in(who()).get(f"/workflows/{run.document_id}/{run.workflow_id}/").content.decode()


def test_a_run_that_waits_for_a_job_says_for_whom(table):
    found = run_page(waiting(""))
    assert "Waiting for Amazon Textract" in found
    assert 'class="banner' not in found


def test_a_run_that_waits_for_a_service_that_does_not_answer_has_a_banner(table):
    run = waiting("Amazon Textract is not responding (ThrottlingException). The run resumes automatically.")
    found = run_page(run)
    assert "Segment Prep is paused" in found
    assert "Amazon Textract is not responding (ThrottlingException)" in found
    assert "/settings/services/" not in found
    assert "/settings/services/" in run_page(run, alice)


def test_the_poll_of_a_run_notices_that_it_began_to_wait(table):
    run = start_run()
    seen = queries.board(run.site, run.workflow_id).updated_at
    actions.claim_step(run, step=1, attempt=1, owner="w")
    actions.begin_external_job(
        run, DOCUMENT_ANALYSIS.steps[0], attempt=1, owner="w", job="{}", service="textract", why="", until=SOON
    )
    url = f"/workflows/{run.document_id}/{run.workflow_id}/"
    assert queries.board(run.site, run.workflow_id).updated_at > seen
    assert "Waiting for Amazon Textract" in one_line(signed_in(bob()).get(url).content)


def test_only_the_worker_that_has_the_step_gives_it_back(table):
    run = start_run()
    actions.claim_step(run, step=1, attempt=1, owner="w")
    for give_back in (
        lambda: actions.begin_external_job(
            run, DOCUMENT_ANALYSIS.steps[0], attempt=1, owner="x", job="{}", service="a", why="", until=SOON
        ),
        lambda: actions.keep_external_job(run, step=1, attempt=1, owner="x", until=SOON),
        lambda: actions.keep_external_job(run, step=1, attempt=2, owner="w", until=SOON),
    ):
        with pytest.raises(Conflict):
            give_back()
    assert queries.execution(run).lease_owner == "w"
