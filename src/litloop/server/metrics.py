"""Figures for a monitor, in Prometheus' text format."""

from __future__ import annotations

from collections.abc import Mapping

from litloop.core.events import Event

_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 15.0, 60.0, 170.0)  # seconds


class Metrics:
    """Counters of one server, in a registry of their own: two servers in one process do not mix."""

    def __init__(self) -> None:
        from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

        self.registry = CollectorRegistry()
        self._requests = Counter(
            "litloop_requests", "Requests by route, method and status.", ("route", "method", "status"),
            registry=self.registry,
        )  # fmt: skip
        self._seconds = Histogram(
            "litloop_request_seconds", "Time until the response was sent.", ("route",), buckets=_BUCKETS,
            registry=self.registry,
        )  # fmt: skip
        self._runs = Counter("litloop_runs", "Runs that ended, by how.", ("end",), registry=self.registry)
        self._tokens = Counter(
            "litloop_model_tokens", "Tokens of model calls.", ("task", "path", "side"), registry=self.registry
        )
        self._calls = Counter(
            "litloop_model_calls", "Attempts to call a model.", ("task", "path", "outcome"), registry=self.registry
        )
        self._refused = Counter("litloop_refused", "Requests that were refused, by why.", ("why",),
                                registry=self.registry)  # fmt: skip
        self._now = Gauge("litloop_now", "What goes on at this moment.", ("what",), registry=self.registry)

    def request(self, route: str, method: str, status: int, seconds: float) -> None:
        self._requests.labels(route, method, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def refused(self, why: str) -> None:
        self._refused.labels(why).inc()

    def run_ended(self, last: str) -> None:
        """`last` is the type of the run's last event."""
        self._runs.labels(last if last in ("answer", "cancelled") else "error").inc()

    def on_event(self, event: Event) -> None:
        """Count a run's model calls."""
        call = event.data.get("call")
        if event.type != "model_call" or call is None:
            return
        self._calls.labels(call.task, call.path, call.outcome).inc()
        self._tokens.labels(call.task, call.path, "prompt").inc(call.prompt_tokens)
        self._tokens.labels(call.task, call.path, "completion").inc(call.completion_tokens)

    def exposed(self, now: Mapping[str, int]) -> tuple[bytes, str]:
        """The text with what goes on `now`, and its content type."""
        from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

        for what, value in now.items():
            self._now.labels(what).set(value)
        return generate_latest(self.registry), CONTENT_TYPE_LATEST
