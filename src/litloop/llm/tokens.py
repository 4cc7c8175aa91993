"""Counting tokens without a network.

tiktoken downloads its ranks at first use, which fails behind a firewall and is a call nobody asked for. The `paritok`
package carries the same files, so the encodings are built from those; the package itself is never imported. A model
served by llama.cpp is counted by its own server (`ServedTokens`).
"""

from __future__ import annotations

import base64
import hashlib
import threading
from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

from litloop.llm.chat import Message

if TYPE_CHECKING:
    import tiktoken

EncodingName = Literal["cl100k_base", "o200k_base"]

# What the chat format adds, as OpenAI's own counting recipe has it: around each message, and to open the reply.
PER_MESSAGE = 3
PER_REPLY = 3

# Published with tiktoken (MIT): how text is cut before the ranks apply, special tokens, the sha256 of the ranks.
_CL100K_PIECES = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]"
    r"|\s+(?!\S)|\s"
)
_UPPER, _LOWER = r"\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}", r"\p{Ll}\p{Lm}\p{Lo}\p{M}"
_CONTRACTION = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
_O200K_PIECES = "|".join(
    [
        rf"[^\r\n\p{{L}}\p{{N}}]?[{_UPPER}]*[{_LOWER}]+{_CONTRACTION}",
        rf"[^\r\n\p{{L}}\p{{N}}]?[{_UPPER}]+[{_LOWER}]*{_CONTRACTION}",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    ]
)
_SPECIAL = {
    "cl100k_base": {"<|endoftext|>": 100257, "<|endofprompt|>": 100276},
    "o200k_base": {"<|endoftext|>": 199999, "<|endofprompt|>": 200018},
}
_SHA256 = {
    "cl100k_base": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    "o200k_base": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
}
_OLDER = ("gpt-4-", "gpt-3.5", "gpt-35", "text-embedding", "llama", "meta-llama")


class TokenCounter(Protocol):
    """Counts in one model's tokens, or says by `exact` that it only comes near."""

    name: str
    exact: bool

    def count(self, text: str) -> int:
        """Tokens of `text`; special tokens written in it count as ordinary text."""
        ...


class RankedTokens:
    """Counts with the published ranks of cl100k_base or o200k_base."""

    exact = True

    def __init__(self, name: EncodingName = "o200k_base") -> None:
        self.name: str = name
        self._encoding_name: EncodingName = name

    def count(self, text: str) -> int:
        return len(_encoding(self._encoding_name).encode_ordinary(text.encode("utf-8", "replace").decode()))


class EstimatedTokens:
    """Four bytes to a token, rounded up: what is left when no ranks can be found."""

    name = "estimate"
    exact = False

    def count(self, text: str) -> int:
        return -(-len(text.encode("utf-8", "replace")) // 4)


def counter_for(model: str) -> TokenCounter:
    """The counter for `model`: cl100k for GPT-4, GPT-3.5 and Llama 3 (whose own ranks extend it), else o200k, which is
    exact for OpenAI's models and comes near for others."""
    name = model.lower().rpartition("/")[2]
    encoding: EncodingName = "cl100k_base" if name == "gpt-4" or name.startswith(_OLDER) else "o200k_base"
    return RankedTokens(encoding) if ranks_file(encoding) else EstimatedTokens()


def count_messages(counter: TokenCounter, messages: Sequence[Message]) -> int:
    """Prompt tokens of a chat request, the chat format included."""
    return PER_REPLY + sum(PER_MESSAGE + counter.count(message.content) for message in messages)


@lru_cache(maxsize=2)
def ranks_file(encoding: EncodingName) -> Path | None:
    """Where an installed package keeps the ranks of `encoding`; None when none does. Imports nothing."""
    spec = find_spec("paritok")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        path = Path(folder, "data", f"{encoding}.tiktoken")
        if path.is_file():
            return path
    return None


_loading = threading.Lock()
_encodings: dict[str, tiktoken.Encoding] = {}


def _encoding(name: EncodingName) -> tiktoken.Encoding:
    with _loading:
        if name not in _encodings:
            _encodings[name] = _load(name)
    return _encodings[name]


def _load(name: EncodingName) -> tiktoken.Encoding:
    import tiktoken

    path = ranks_file(name)
    content = path.read_bytes() if path else b""
    if hashlib.sha256(content).hexdigest() != _SHA256[name]:
        raise ValueError(f"The token ranks {name} are missing or damaged: reinstall the package paritok.")
    ranks = {
        base64.b64decode(token): int(rank)
        for token, _, rank in (line.partition(b" ") for line in content.split(b"\n") if line)
    }
    return tiktoken.Encoding(
        name,
        pat_str=_CL100K_PIECES if name == "cl100k_base" else _O200K_PIECES,
        mergeable_ranks=ranks,
        special_tokens=_SPECIAL[name],
    )
