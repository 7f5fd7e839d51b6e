"""What leaves in traces and error reports: ids and lines of code, and nothing that a document or a person wrote."""

import importlib
import json
import logging
import runpy
import subprocess
import sys
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

import pytest
import sentry_sdk
from django.conf import settings
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from sentry_sdk.envelope import Envelope
from sentry_sdk.transport import Transport

from config import aws, celery, logs, telemetry

SECRET = "ACME Ltd, 12.34 EUR"


class Kept(Transport):
    """Sends nothing; what would have been sent, as text."""

    def __init__(self, options: Any = None) -> None:
        super().__init__(options)
        self.sent: list[str] = []

    def capture_envelope(self, envelope: Envelope) -> None:
        self.sent.append(envelope.serialize().decode())


@pytest.fixture
def sentry(settings: Any) -> Any:

    settings.SENTRY_DSN = "https://key@errors.invalid/1"
    kept = Kept()
    telemetry._start_reports(transport=kept)
    assert not sentry_sdk.get_client().options["send_default_pii"]
    yield kept
    sentry_sdk.get_client().close()
    sentry_sdk.init()  # off again


def raise_with_a_document() -> None:
    text = SECRET
    try:
        float(text)
    except ValueError as error:
        raise RuntimeError(f"could not read {text}") from error


def test_a_report_has_type_place_and_ids_and_no_words_of_the_error(sentry: Kept) -> None:

    logs.set_task({"site": "acme", "workflow_id": "01RUN", "note": SECRET}, "01REQUEST")
    try:
        raise_with_a_document()
    except RuntimeError:
        sentry_sdk.capture_exception()
    finally:
        logs.set_task({})
    (report,) = sentry.sent
    assert "ACME" not in report
    assert "12.34" not in report
    event = json.loads(report.splitlines()[-1])
    assert event["tags"] == {"site": "acme", "run": "01RUN", "request": "01REQUEST"}
    raised = event["exception"]["values"]
    assert [one["type"] for one in raised] == ["ValueError", "RuntimeError"]
    frame = raised[-1]["stacktrace"]["frames"][-1]
    assert frame["function"] == "raise_with_a_document"
    assert "vars" not in frame
    assert "context_line" not in frame


def test_our_own_line_is_reported_by_its_constant_text_and_a_librarys_is_not(sentry: Kept) -> None:
    logging.getLogger("workflows.engine").error("message put aside", extra={"task": SECRET})
    logging.getLogger("somebody.else").error(" ".join(("could not decode", SECRET)))
    ours, theirs = (json.loads(report.splitlines()[-1]) for report in sentry.sent)
    assert ours["message"] == "message put aside"
    assert "message" not in theirs
    assert not any("ACME" in report for report in sentry.sent)


def test_of_a_request_the_route_is_sent_and_neither_address_nor_body_nor_person() -> None:
    event = {
        "event_id": "e",
        "transaction": "/documents/<str:document_id>/",
        "request": {"url": f"https://desk/{SECRET}", "data": SECRET, "cookies": {"sessionid": "s"}, "headers": {}},
        "user": {"email": "rosa@example.com"},
        "extra": {"sys.argv": [SECRET]},
        "breadcrumbs": {"values": [{"message": SECRET}]},
        "contexts": {"celery-job": {"kwargs": {"token": "t"}}},
    }
    assert telemetry.clean_report(event, {}) == {"event_id": "e", "tags": {"route": "/documents/<str:document_id>/"}}
    typed = telemetry.clean_report({"transaction": f"/{SECRET}/"}, {})
    assert typed == {"tags": {}}


def test_a_span_keeps_its_route_and_its_time_and_loses_what_it_quotes() -> None:
    inner = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(telemetry._cleaning(inner)))
    tracer = provider.get_tracer("test")
    with suppress(ValueError), tracer.start_as_current_span("GET documents/") as span:
        span.set_attributes({"http.route": "documents/", "url.full": f"https://desk/?q={SECRET}"})
        telemetry._name_request(span, None, {logs.REQUEST_HEADER: "01REQUEST"})
        float(SECRET)
    (sent,) = inner.get_finished_spans()
    assert dict(sent.attributes or {}) == {"http.route": "documents/", "countersign.request": "01REQUEST"}
    assert not sent.events
    assert sent.status.description is None
    assert not sent.status.is_ok
    assert sent.end_time > sent.start_time


@pytest.mark.wide
def test_off_they_cost_no_import() -> None:
    code = "import sys, config.wsgi, config.celery; print({'sentry_sdk', 'opentelemetry'} & set(sys.modules))"
    env = {"DJANGO_SETTINGS_MODULE": "config.settings", "COUNTERSIGN_STATE_DIR": str(settings.STATE_DIR)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=env, cwd=settings.BASE_DIR, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "set()"


def test_a_package_that_is_missing_is_said_with_what_to_do(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.SENTRY_DSN = "https://key@errors.invalid/1"
    monkeypatch.setitem(sys.modules, "sentry_sdk", None)
    with pytest.raises(telemetry.Misconfigured, match=r"pip install '\.\[sentry,tracing\]'"):
        telemetry.start_telemetry()


def test_each_pool_process_starts_them_for_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[int] = []
    monkeypatch.setattr(telemetry, "start_telemetry", lambda: started.append(1))
    celery._start_telemetry(sender=SimpleNamespace())
    assert started == [1]


@pytest.mark.parametrize("kind", ["wsgi", "asgi"])
def test_traces_begin_before_the_application_loads_its_middleware(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Later, their own middleware would be in the settings and in no request."""
    order: list[str] = []
    monkeypatch.setattr(aws, "be_patient", lambda *_: None)
    monkeypatch.setattr(telemetry, "start_telemetry", lambda: order.append("traces"))
    module = importlib.import_module(f"django.core.{kind}")
    monkeypatch.setattr(module, f"get_{kind}_application", lambda: order.append("application"))
    runpy.run_module(f"config.{kind}")
    assert order == ["traces", "application"]


def test_a_span_names_the_request_that_it_is_for() -> None:
    kept = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(telemetry._naming())
    provider.add_span_processor(SimpleSpanProcessor(kept))
    with logs.on_request("01M8D9D00ST26B1EYW3R5K8JZP"):
        provider.get_tracer("test").start_span("DynamoDB.GetItem").end()
    assert dict(kept.get_finished_spans()[0].attributes or {}) == {"countersign.request": "01M8D9D00ST26B1EYW3R5K8JZP"}
