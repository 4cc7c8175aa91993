"""ONNX Runtime: where OpenVINO has no wheel."""

from __future__ import annotations

from collections.abc import Generator, Iterable

from litloop.core.errors import UsageError
from litloop.embedding.batching import Batch
from litloop.embedding.runtime import Graph, Output, check_inputs, choose_output, feed


class OnnxRuntime:
    """One session. Its `run` may be called from several threads: each call has its own buffers."""

    precision = "f32"

    def __init__(self, graph: Graph, *, threads: int = 0) -> None:
        import onnxruntime

        onnxruntime.disable_telemetry_events()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.log_severity_level = 3
        try:
            self._session = onnxruntime.InferenceSession(
                graph if isinstance(graph, bytes) else str(graph), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # its exceptions share no base of their own
            raise UsageError(f"ONNX Runtime cannot run the model: {str(error).strip().splitlines()[0]}") from error
        self._inputs = check_inputs(port.name for port in self._session.get_inputs())
        outputs = self._session.get_outputs()
        self._output = outputs[choose_output(len(port.shape) for port in outputs)].name

    def run(self, batch: Batch) -> Output:
        output: Output = self._session.run([self._output], feed(batch, self._inputs))[0]
        return output

    def run_many(self, batches: Iterable[Batch]) -> Generator[tuple[Batch, Output], None, None]:
        for batch in batches:
            yield batch, self.run(batch)
