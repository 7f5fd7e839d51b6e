import json
import logging
import re

import pytest

from config import aws
from config.aws import count_calls
from config.logs import JsonFormatter
from tests.people import bob, signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]
LOGGER = "projects.web.access_log"


def lines(caplog: pytest.LogCaptureFixture) -> list[dict[str, object]]:
    return [json.loads(JsonFormatter().format(one)) for one in caplog.records if one.name == LOGGER]


def test_a_request_says_who_asked_for_what_and_what_it_cost(caplog):
    person = bob()
    browser = signed_in(person)
    caplog.set_level(logging.INFO, LOGGER)
    answer = browser.get("/workflows/doc-1/run-1/?q=ACME+Ltd")
    (line,) = lines(caplog)
    assert (line["method"], line["route"]) == ("GET", "workflows/<str:document_id>/<str:workflow_id>/")
    assert (line["document"], line["run"], line["user"]) == ("doc-1", "run-1", str(person.pk))
    assert (line["status"], int(line["calls"]) >= 1) == (answer.status_code, True)
    assert "ACME" not in json.dumps(line)


def test_what_a_person_typed_into_an_address_is_in_no_line(caplog):
    caplog.set_level(logging.INFO, LOGGER)
    signed_in(bob()).get("/workflows/ACME Ltd, 12 March/run/")
    (line,) = lines(caplog)
    assert "ACME" not in json.dumps(line)


def test_the_answer_names_the_request_and_a_laptop_shows_its_cost(settings, caplog):
    browser = signed_in(bob())
    first, second = browser.get("/review/"), browser.get("/review/")
    assert re.fullmatch(r"[0-9A-Z]{26}", first["X-Request-Id"])
    assert first["X-Request-Id"] != second["X-Request-Id"]
    assert re.search(r'cpu;dur=\d+\.\d, aws;desc="\d+ calls"', first["Server-Timing"])
    settings.ON_LAPTOP = False
    assert "Server-Timing" not in browser.get("/review/", secure=True)


def test_machines_that_ask_for_health_leave_no_line(client, caplog):
    caplog.set_level(logging.INFO, LOGGER)
    client.get("/healthz")
    assert lines(caplog) == []


def test_calls_count_where_they_are_made_and_only_inside_a_request():
    client = aws.aws_client("sqs")
    client.list_queues()
    with count_calls() as outer:
        client.list_queues()
        with count_calls() as inner:
            client.list_queues()
    assert (outer.calls, inner.calls) == (1, 1)
