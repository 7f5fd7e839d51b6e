"""OpenTelemetry traces and Sentry error reports, if configured; otherwise their packages are not imported.

Both leave this machine, so the rules of logs apply: ids, routes, error types and lines of code. Everything else that
they collect (URLs, parameters, error messages, local variables) is removed before it is sent.
"""

import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from django.conf import settings

from config import logs
from config.errors import Misconfigured

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.sdk.trace import ReadableSpan, Span, SpanProcessor
    from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

log = logging.getLogger(__name__)

_REQUEST = "countersign.request"
# Attributes of spans that no person can have typed: which route, which call, how it ended, how large.
_SPAN_ATTRIBUTES = (
    _REQUEST, "aws.region", "celery.action", "celery.state", "celery.task_name", "cloud.region", "db.operation",
    "db.system", "error.type", "http.method", "http.request.method", "http.response.status_code", "http.route",
    "http.status_code", "messaging.destination", "messaging.message.id", "messaging.message_id", "messaging.system",
    "retry_attempts", "rpc.method", "rpc.service", "rpc.system",
)  # fmt: skip
_FRAME = ("filename", "function", "module", "lineno", "in_app", "abs_path")
_KEPT = ("event_id", "timestamp", "level", "platform", "release", "environment", "logger", "sdk", "type")
_PACKAGES = ("config.", "projects.", "workflows.", "review.", "countersign")


def start_telemetry() -> None:
    """Start the exporters; call it after a fork, since their threads do not survive one."""
    try:
        if settings.SENTRY_DSN:
            _start_reports()
        if settings.OTEL_ENDPOINT:
            _start_traces()
    except ImportError as error:
        raise Misconfigured(
            f"{error.name} is not installed. Install the extras: pip install '.[sentry,tracing]', or unset SENTRY_DSN "
            "and OTEL_EXPORTER_OTLP_ENDPOINT."
        ) from error


# --- error reports -------------------------------------------------------------


def _start_reports(**overrides: Any) -> None:
    import sentry_sdk  # noqa: PLC0415 - an extra, of use only if it is configured
    from sentry_sdk.integrations.celery import CeleryIntegration  # noqa: PLC0415
    from sentry_sdk.integrations.django import DjangoIntegration  # noqa: PLC0415

    sentry_sdk.init(
        dsn=settings.SENTRY_DSN,
        environment=settings.STACK,
        integrations=[DjangoIntegration(), CeleryIntegration()],
        # send_default_pii is off by itself, and to say so is deprecated.
        auto_enabling_integrations=False,  # those of model clients would send prompts
        include_local_variables=False,
        include_source_context=False,
        max_request_body_size="never",
        before_send=clean_report,
        before_breadcrumb=lambda _crumb, _hint: None,
        **overrides,
    )


def clean_report(event: Any, _hint: Any) -> Any:
    """Return what may leave in Sentry's event: an allow-list."""
    found = {name: event[name] for name in _KEPT if name in event}
    found["tags"] = _ids() | ({"route": event["transaction"]} if _is_route(event.get("transaction")) else {})
    raised = (event.get("exception") or {}).get("values") or ()
    if raised:
        found["exception"] = {"values": [_clean_error(one) for one in raised]}
    if str(event.get("logger") or "").startswith(_PACKAGES):
        # The constant text of our own line; what a library logs may have been put together from anything.
        found["message"] = str((event.get("logentry") or {}).get("message") or "")
    return found


def _clean_error(error: Mapping[str, Any]) -> dict[str, Any]:
    frames = (error.get("stacktrace") or {}).get("frames") or ()
    kept = [{name: frame[name] for name in _FRAME if name in frame} for frame in frames]
    return {"type": error.get("type"), "module": error.get("module"), "stacktrace": {"frames": kept}}


def _ids() -> dict[str, str]:
    return {name: value for name, value in logs.context().items() if value}


def _is_route(name: object) -> bool:
    """Return whether the name is a view's route or a task's; unmatched URLs may contain typed text."""
    return isinstance(name, str) and (name.startswith(_PACKAGES) or "<" in name or name.strip("/").isidentifier())


# --- traces ----------------------------------------------------------------------


def _start_traces(exporter: "SpanExporter | None" = None) -> None:
    from opentelemetry import trace  # noqa: PLC0415 - an extra, of use only if it is configured
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415
    from opentelemetry.instrumentation.botocore import BotocoreInstrumentor  # noqa: PLC0415
    from opentelemetry.instrumentation.celery import CeleryInstrumentor  # noqa: PLC0415
    from opentelemetry.instrumentation.django import DjangoInstrumentor  # noqa: PLC0415
    from opentelemetry.sdk.resources import Resource  # noqa: PLC0415
    from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
    from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415

    provider = TracerProvider(resource=Resource.create({"service.name": settings.STACK}))
    provider.add_span_processor(_naming())
    provider.add_span_processor(BatchSpanProcessor(_cleaning(exporter or OTLPSpanExporter())))
    trace.set_tracer_provider(provider)
    DjangoInstrumentor().instrument(response_hook=_name_request)
    CeleryInstrumentor().instrument()  # type: ignore[no-untyped-call]  # as the next, untyped
    BotocoreInstrumentor().instrument()  # type: ignore[no-untyped-call]


def _naming() -> "SpanProcessor":
    """Name the request that work was begun for, by which logs of all processes find it too."""
    from opentelemetry.sdk.trace import SpanProcessor  # noqa: PLC0415 - as above

    class Naming(SpanProcessor):
        def on_start(self, span: "Span", parent_context: "Context | None" = None) -> None:  # noqa: ARG002 - the SDK's
            if request := logs.request_id():
                span.set_attribute(_REQUEST, request)

    return Naming()


def _name_request(span: Any, _request: Any, response: Any) -> None:
    if span and span.is_recording():
        span.set_attribute(_REQUEST, response.get(logs.REQUEST_HEADER, ""))


def _cleaning(inner: "SpanExporter") -> "SpanExporter":
    from opentelemetry.sdk.trace.export import SpanExporter  # noqa: PLC0415 - as above

    class Cleaning(SpanExporter):
        def export(self, spans: "Sequence[ReadableSpan]") -> "SpanExportResult":
            return inner.export([clean_span(span) for span in spans])

        def shutdown(self) -> None:
            inner.shutdown()

        def force_flush(self, timeout_millis: int = 30_000) -> bool:
            return inner.force_flush(timeout_millis)

    return Cleaning()


def clean_span(span: "ReadableSpan") -> "ReadableSpan":
    """Return the span without attributes that may quote documents or people, and without error messages."""
    from opentelemetry.sdk.trace import ReadableSpan  # noqa: PLC0415 - as above
    from opentelemetry.trace import Status  # noqa: PLC0415

    held = span.attributes or {}
    return ReadableSpan(
        span.name,
        context=span.context,
        parent=span.parent,
        resource=span.resource,
        attributes={name: held[name] for name in _SPAN_ATTRIBUTES if name in held},
        kind=span.kind,
        status=Status(span.status.status_code),
        start_time=span.start_time,
        end_time=span.end_time,
        instrumentation_scope=span.instrumentation_scope,
    )
