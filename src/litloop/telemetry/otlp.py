"""Sending spans to a collector by OTLP over HTTP, with the OpenTelemetry SDK (`pip install 'litloop[otel]'`).

The SDK batches and sends from a thread of its own: a run never waits for a collector, and a collector that is down
costs one line in the log. The providers made here are litloop's own; an application's global tracer is left alone.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from litloop.core.errors import MissingExtra
from litloop.core.events import Event
from litloop.core.logs import Log
from litloop.core.settings import TelemetrySettings
from litloop.net.safe_addresses import is_loopback
from litloop.telemetry.spans import PlannedSpan, RunSpans

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Span, Tracer

log = Log("telemetry")
TRACES = "/v1/traces"
_FLUSH_MS = 5_000


class Telemetry:
    """The exporter of one library. `listener` gives a subscriber for one run."""

    def __init__(self, provider: TracerProvider, endpoint: str, *, content: bool) -> None:
        self._provider = provider
        self._tracer: Tracer = provider.get_tracer("litloop", version("litloop"))
        self._content = content
        self.loopback = is_loopback(endpoint)

    def listener(self) -> Callable[[Event], None]:
        """Subscribe it to one run: it exports the run's spans when the last event has come."""
        spans = RunSpans(content=self._content)

        def listen(event: Event) -> None:
            spans.take(event)
            if spans.finished is not None:
                began = time.time_ns() - _ns(event.ms)
                self._emit(spans.finished, began, None)
                spans.finished = None

        return listen

    def close(self) -> None:
        """Send what is waiting, at most for a few seconds."""
        self._provider.force_flush(_FLUSH_MS)
        self._provider.shutdown()

    def _emit(self, planned: PlannedSpan, began: int, parent: Span | None) -> None:
        from opentelemetry import trace
        from opentelemetry.context import Context

        span = self._tracer.start_span(
            planned.name,
            context=trace.set_span_in_context(parent) if parent else Context(),
            kind=trace.SpanKind.CLIENT if planned.outgoing else trace.SpanKind.INTERNAL,
            attributes=dict(planned.attributes),
            start_time=began + _ns(planned.start),
        )
        if planned.error:
            span.set_status(trace.StatusCode.ERROR, planned.error)
        for child in planned.children:
            self._emit(child, began, span)
        span.end(began + _ns(planned.end))


def open_telemetry(settings: TelemetrySettings) -> Telemetry | None:
    """An exporter to the endpoint of `settings`, or None without one. Raises MissingExtra without OpenTelemetry."""
    if settings.endpoint is None:
        return None
    endpoint = traces_url(settings.endpoint)
    try:
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor

        exporter = _exporter(endpoint, settings.timeout_s)
    except ImportError:
        raise MissingExtra("OpenTelemetry", "otel") from None
    resource = Resource.create({"service.name": settings.service_name, "service.version": version("litloop")})
    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(exporter))
    return Telemetry(provider, endpoint, content=settings.content)


def traces_url(endpoint: str) -> str:
    """Where spans go: a collector's base address gets the usual path, a full one is left as it is."""
    return endpoint.rstrip("/") + TRACES if urlsplit(endpoint).path in ("", "/") else endpoint


def _exporter(endpoint: str, timeout_s: float) -> Any:
    import requests
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.trace import ReadableSpan
    from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

    # Its own complaints carry stack traces; ours is one line, and an application's handlers still get theirs.
    logging.getLogger("opentelemetry").addHandler(logging.NullHandler())
    session = requests.Session()
    session.trust_env = not is_loopback(endpoint)  # the machine's proxy settings do not apply to loopback
    sender = OTLPSpanExporter(endpoint, timeout=timeout_s, session=session)

    class Complaining(SpanExporter):
        """Says once that spans could not be delivered."""

        said = False

        def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
            result = sender.export(spans)
            if result is not SpanExportResult.SUCCESS and not self.said:
                self.said = True
                log.warning("telemetry could not be delivered", endpoint=endpoint)
            return result

        def shutdown(self) -> None:
            sender.shutdown()  # type: ignore[no-untyped-call]

    return Complaining()


def _ns(ms: float) -> int:
    return int(ms * 1_000_000)
