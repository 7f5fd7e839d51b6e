"""A model of which every request is counted, a document that a run has read, and a test set of three like it."""

from collections.abc import Iterator
from unittest import mock

import pytest
from django.conf import settings

from config.environment import ModelEndpoint
from tests.pump import Pump
from tests.workflows.experiments.counting_server import Answer, CountingServer, read_receipt, serve_counting
from tests.workflows.experiments.made import copy_document, make_set
from tests.workflows.trials.reading import read_run
from workflows.providers import actions as provider_actions
from workflows.runs.items import Run
from workflows.testsets.queries import SetRef


@pytest.fixture(autouse=True)
def long_leases() -> Iterator[None]:
    with mock.patch.object(settings, "MESSAGE_LOST_SECONDS", 300):  # other tests wait for seconds
        yield


@pytest.fixture
def answer() -> Answer:
    """What the model says; a file whose model says otherwise has a fixture of this name."""
    return read_receipt


@pytest.fixture
def server(answer: Answer) -> Iterator[CountingServer]:
    provider_actions.forget_provider_state()
    with (
        serve_counting(answer) as told,
        mock.patch.dict(settings.MODEL_ENDPOINTS, {"local": ModelEndpoint(told.url, "")}),
    ):
        yield told


@pytest.fixture
def run(pump: Pump) -> Run:
    return read_run(pump)


@pytest.fixture
def testset(run: Run) -> SetRef:
    return make_set(run.project_id, [run.document_id, *(copy_document(run, number) for number in range(2))])
