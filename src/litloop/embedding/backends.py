"""Which runtime carries a model here. Neither library is imported before its runtime is made."""

from __future__ import annotations

import importlib.util

from litloop.core.choices import Precision, RuntimeName
from litloop.core.errors import MissingExtra
from litloop.embedding.onnx_runtime import OnnxRuntime
from litloop.embedding.openvino_runtime import OpenVinoRuntime
from litloop.embedding.runtime import Graph, Runtime


def start_runtime(name: RuntimeName, graph: Graph, *, precision: Precision, threads: int) -> Runtime:
    """OpenVINO where its wheel is installed, else ONNX Runtime; or the one asked for.

    Raises MissingExtra when it is not installed, UsageError when it cannot run the graph.
    """
    if name == "auto":
        name = "openvino" if importlib.util.find_spec("openvino") else "onnxruntime"
    if importlib.util.find_spec(name) is None:
        if name == "openvino":
            raise MissingExtra("OpenVINO", "openvino", command="pip install openvino")
        raise MissingExtra("ONNX Runtime", "onnx")
    if name == "openvino":
        return OpenVinoRuntime(graph, precision=precision, threads=threads)
    return OnnxRuntime(graph, threads=threads)
