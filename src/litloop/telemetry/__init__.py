"""Runs as OpenTelemetry spans, made from the same event stream that everything else reads. Off by default."""

from litloop.telemetry.otlp import Telemetry, open_telemetry

__all__ = ["Telemetry", "open_telemetry"]
