"""The metrics of the server, which Prometheus collects at `/metrics`."""

from __future__ import annotations

from collections.abc import Iterator

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Histogram,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector

from ggp.server.protocol import PlayerProtocol, Reply

__all__ = ["Metrics"]

#: Seconds; most clocks are from 5 to 60.
_BUCKETS = (0.01, 0.03, 0.1, 0.3, 1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0)


class Metrics:
    """The counters of one server, in a registry of their own."""

    def __init__(self, protocol: PlayerProtocol) -> None:
        """Count for a protocol; its matches are looked up at each collection."""
        self._registry = CollectorRegistry()
        self._seconds = Histogram(
            "ggp_reply_seconds",
            "Seconds from the first byte of a message to its answer.",
            ["verb"],
            buckets=_BUCKETS,
            registry=self._registry,
        )
        self._troubles = Counter(
            "ggp_troubles", "Messages that could not be answered as asked.", ["verb"],
            registry=self._registry,
        )  # fmt: skip
        self._refused = Counter(
            "ggp_refused", "Requests of web pages and of addresses that may send none.",
            registry=self._registry,
        )  # fmt: skip
        ProcessCollector(registry=self._registry)
        self._registry.register(_Matches(protocol))

    def observe(self, reply: Reply, seconds: float) -> None:
        """Count a message and the seconds that its answer took."""
        self._seconds.labels(reply.verb).observe(seconds)
        if reply.trouble:
            self._troubles.labels(reply.verb).inc()

    def refuse(self) -> None:
        """Count a request that was refused."""
        self._refused.inc()

    def text(self) -> bytes:
        """Return all metrics in Prometheus' text format."""
        return generate_latest(self._registry)


class _Matches(Collector):
    """The metrics of the matches, read from the protocol."""

    def __init__(self, protocol: PlayerProtocol) -> None:
        self._protocol = protocol

    def collect(self) -> Iterator[CounterMetricFamily | GaugeMetricFamily]:
        matches = self._protocol.matches()
        running = GaugeMetricFamily("ggp_matches", "Matches in progress.", labels=["phase"])
        for phase in ("preparing", "thinking", "waiting"):
            running.add_metric([phase], sum(match.phase == phase for match in matches))
        yield running
        yield GaugeMetricFamily(
            "ggp_delay_seconds",
            "Delay that this machine adds to the thinking, as the margin allows for it.",
            value=self._protocol.delay,
        )
        ended = CounterMetricFamily("ggp_matches_ended", "Matches that have ended.", labels=["how"])
        for how, count in self._protocol.ended().items():
            ended.add_metric([how], count)
        yield ended
