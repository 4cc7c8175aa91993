"""What a call costs, from a dated table. An unknown price is None, never 0."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from litloop.llm.profiles import Endpoint


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens, and the month in which the figure was seen to hold (empty: set by the user)."""

    input: float
    output: float
    as_of: str = ""

    def of(self, prompt_tokens: int, completion_tokens: int) -> float:
        return (prompt_tokens * self.input + completion_tokens * self.output) / 1e6


FREE = Price(0.0, 0.0)


def price_of(endpoint: Endpoint, model: str) -> Price | None:
    """The price of `model` at `endpoint`: the user's own figure, 0 for a model that runs on this machine (Ollama or
    llama.cpp at a loopback address: there is nobody to pay), the table's, or None. A `custom` endpoint at a loopback
    address may well be a gateway to a paid service, so its price is unknown."""
    if endpoint.price is not None:
        return Price(*endpoint.price)
    if endpoint.profile in {"ollama", "llamacpp"} and endpoint.loopback:
        return FREE
    return _table().get((endpoint.profile, model.removeprefix("models/")))


@cache
def _table() -> dict[tuple[str, str], Price]:
    raw = tomllib.loads(files("litloop.llm").joinpath("prices.toml").read_text(encoding="utf-8"))
    return {
        (provider, model): Price(row["input"], row["output"], row["as_of"])
        for provider, models in raw.items()
        for model, row in models.items()
    }
