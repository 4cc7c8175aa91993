"""OpenVINO: the default runtime. 53 documents a second where ONNX Runtime in float32 does 11 (same weights, one
thread, a CPU with AMX)."""

from __future__ import annotations

import contextlib
import queue
import sys
import threading
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from typing import Any

from litloop.core.choices import Precision
from litloop.embedding.batching import Batch
from litloop.embedding.compiled import compile_model
from litloop.embedding.runtime import Graph, Output, check_inputs, choose_output, feed

_import_lock = threading.Lock()


def import_openvino() -> Any:
    """The openvino module, imported so that nothing is ever sent.

    A plain `import openvino` imports its conversion tools, which start a telemetry session: a client id is
    written to the home folder and an event goes out over the network. Neither is needed to run a model, so the
    tools are kept out of this import (which also makes it 0.2 s faster) and the telemetry package out of the
    process.
    """
    with _import_lock:
        if "openvino" not in sys.modules:
            sys.modules.setdefault("openvino_telemetry", None)  # type: ignore[arg-type]  # None: import fails
            sys.modules["openvino.tools.ovc"] = None  # type: ignore[assignment]
            try:
                import openvino
            finally:
                # Whoever wants the tools for their own work still gets them, with OpenVINO's own silent stub.
                del sys.modules["openvino.tools.ovc"]
        import openvino

        return openvino


class OpenVinoRuntime:
    """One compiled model and its pool of inference requests.

    A compiled model must not be called from several threads: in a trial 597 of 600 vectors were wrong, without
    an error. Each call checks a request out of a pool and returns it. Queries have requests of their own, so
    that a question does not wait for a whole indexing run.
    """

    def __init__(self, graph: Graph, *, precision: Precision = "auto", threads: int = 0) -> None:
        openvino = import_openvino()
        core = openvino.Core()
        bf16 = precision == "auto" and "BF16" in core.get_property("CPU", "OPTIMIZATION_CAPABILITIES")
        self.precision = "bf16" if bf16 else "f32"
        options: dict[str, Any] = {
            "INFERENCE_PRECISION_HINT": self.precision,
            # One stream per core or two, each with its own request: 18 % more passages a second than all threads
            # on one request, at the same time for a query.
            "PERFORMANCE_HINT": "THROUGHPUT",
            # Pinned threads of two processes would share the first cores and leave the others idle.
            "ENABLE_CPU_PINNING": False,
        }
        if threads:
            options["INFERENCE_NUM_THREADS"] = threads
        compiled = compile_model(core, graph, options, version=openvino.get_version())
        self._inputs = check_inputs(port.any_name for port in compiled.inputs)
        self._output = choose_output(len(port.partial_shape) for port in compiled.outputs)
        streams = int(compiled.get_property("OPTIMAL_NUMBER_OF_INFER_REQUESTS"))
        # One more than can run at once: a request is always waiting when another ends.
        self._for_passages = _pool(compiled, streams + 1)
        self._for_queries = _pool(compiled, streams)

    def run(self, batch: Batch) -> Output:
        request = self._for_queries.get()
        try:
            # The inputs are copied: OpenVINO 2026.4 goes on using shared ones after the call, and ended the process
            # (a corrupted heap) when questions and passages came from several threads. It costs no measurable time.
            request.infer(feed(batch, self._inputs), share_outputs=True)
            output: Output = request.get_output_tensor(self._output).data.copy()
            return output
        finally:
            self._for_queries.put(request)

    def run_many(self, batches: Iterable[Batch]) -> Generator[tuple[Batch, Output], None, None]:
        running: deque[tuple[Batch, Any]] = deque()
        try:
            for batch in batches:
                request = self._free_request(wait=not running)
                while request is None:
                    yield from self._finish(running)
                    request = self._free_request(wait=not running)
                running.append((batch, request))
                request.start_async(feed(batch, self._inputs))
            while running:
                yield from self._finish(running)
        finally:
            # The caller stopped early or a request failed: what still runs must end before others use it.
            for _, request in running:
                with contextlib.suppress(RuntimeError):
                    request.wait()
                self._for_passages.put(request)

    def _free_request(self, *, wait: bool) -> Any | None:
        """A request, or None when all are in use. Only a caller that holds none may wait: two callers that each
        waited for the other's would wait for ever."""
        with contextlib.suppress(queue.Empty):
            return self._for_passages.get(block=wait)
        return None

    def _finish(self, running: deque[tuple[Batch, Any]]) -> Iterator[tuple[Batch, Output]]:
        batch, request = running[0]
        request.wait()
        yield batch, request.get_output_tensor(self._output).data
        running.popleft()
        self._for_passages.put(request)


def _pool(compiled: Any, size: int) -> queue.LifoQueue[Any]:
    # Last in, first out: a request that has run keeps its buffers, and one caller alone touches few of them.
    pool: queue.LifoQueue[Any] = queue.LifoQueue()
    for _ in range(size):
        pool.put(compiled.create_infer_request())
    return pool
