"""The services page, and the banner of a run that waits for one of them."""

import datetime as dt

import pytest

from config import clock
from config.errors import Conflict
from tests.factories import start_run
from tests.people import alice, bob, signed_in
from workflows import queries
from workflows.actions import leases, providers, waits
from workflows.definitions import DOCUMENT_ANALYSIS
from workflows.items.providers import ProviderState

pytestmark = pytest.mark.django_db

SOON = "2026-11-21"


@pytest.fixture(autouse=True)
def forgotten(settings):
    settings.PROVIDER_FAILURES = 2
    providers.forget()
    yield
    providers.forget()


def page(who=alice) -> str:
    return signed_in(who()).get("/settings/services/").content.decode()


def test_services_that_never_failed_are_listed(table):
    found = page()
    for label in ("Amazon Textract", "Amazon Bedrock", "Bedrock Data Automation", "Amazon Transcribe"):
        assert label in found
    assert found.count("No trouble known") == 5
    assert "Rules, on this machine" in found


@pytest.mark.parametrize(
    ("engine", "broker", "words"),
    [("stepfunctions", "sqs", "Step Functions, on SQS"), ("celery", "rabbitmq", "Messages, on RabbitMQ")],
)
def test_it_says_what_drives_the_runs(table, settings, engine, broker, words):
    settings.ENGINE, settings.BROKER = engine, broker
    assert f"<dd>{words}</dd>" in signed_in(alice()).get("/settings/services/").content.decode()


def test_one_that_failed_and_one_that_is_left_alone_say_so(table):
    providers.failed("textract", "ThrottlingException")
    assert "Failed last time" in page()
    providers.failed("textract", "ThrottlingException")
    found = page()
    assert "Left alone" in found
    assert "ThrottlingException, 2 in a row" in found
    (state,) = queries.provider_states()
    past = clock.iso(clock.now() - dt.timedelta(seconds=1))
    ProviderState.change(state.key, [ProviderState.open_until.set(past)], ProviderState.PK.exists())
    assert "Is tried again" in page()


def test_it_is_for_admins(table):
    assert signed_in(bob()).get("/settings/services/").status_code == 403
    assert "/settings/services/" in signed_in(alice()).get("/settings/").content.decode()


def waiting(why: str):
    run = start_run()
    step = DOCUMENT_ANALYSIS.steps[0]
    leases.claim(run, step=1, attempt=1, owner="w")
    waits.begin(run, step, attempt=1, owner="w", job="{}", service="textract", why=why, until=SOON)
    return run


def run_page(run, who=bob) -> str:
    return signed_in(who()).get(f"/workflows/{run.document_id}/{run.workflow_id}/").content.decode()


def test_a_run_that_waits_for_a_job_says_for_whom(table):
    found = run_page(waiting(""))
    assert "waits for Amazon Textract" in found
    assert 'class="banner' not in found


def test_a_run_that_waits_for_a_service_that_does_not_answer_has_a_banner(table):
    run = waiting("Amazon Textract does not answer (ThrottlingException). The run goes on by itself once it does.")
    found = run_page(run)
    assert "Segment Prep waits" in found
    assert "Amazon Textract does not answer (ThrottlingException)" in found
    assert "/settings/services/" not in found
    assert "/settings/services/" in run_page(run, alice)


def test_the_poll_of_a_run_notices_that_it_began_to_wait(table):
    run = start_run()
    seen = queries.board(run.site, run.workflow_id).updated_at
    leases.claim(run, step=1, attempt=1, owner="w")
    waits.begin(run, DOCUMENT_ANALYSIS.steps[0], attempt=1, owner="w", job="{}", service="textract", why="", until=SOON)
    url = f"/workflows/{run.document_id}/{run.workflow_id}/"
    assert queries.board(run.site, run.workflow_id).updated_at > seen
    assert "waits for Amazon Textract" in signed_in(bob()).get(url).content.decode()


def test_only_the_worker_that_has_the_step_gives_it_back(table):
    run = start_run()
    leases.claim(run, step=1, attempt=1, owner="w")
    for give_back in (
        lambda: waits.begin(
            run, DOCUMENT_ANALYSIS.steps[0], attempt=1, owner="x", job="{}", service="a", why="", until=SOON
        ),
        lambda: waits.still(run, step=1, attempt=1, owner="x", until=SOON),
        lambda: waits.still(run, step=1, attempt=2, owner="w", until=SOON),
    ):
        with pytest.raises(Conflict):
            give_back()
    assert queries.execution(run).lease_owner == "w"
