"""Counting and cutting in a model's own tokens."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tokenizers import Encoding
    from tokenizers import Tokenizer as Pieces

# Half of a character, as broken PDF text and JSON escapes leave them: no UTF-8, so no tokenizer takes it.
LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class ModelTokenizer:
    """The tokenizer in a tokenizer.json file. Safe to use from several threads at once.

    `special` counts the tokens that stand around each passage and, where the model has one, the passage prefix:
    a caller that fills window - special tokens never oversteps.
    """

    def __init__(self, path: Path, window: int, passage_prefix: str = "") -> None:
        from tokenizers import Tokenizer as Pieces

        self._pieces: Pieces = Pieces.from_file(str(path))
        # The files carry the limits of training; we count everything and cut nothing unseen.
        self._pieces.no_truncation()
        self._pieces.no_padding()
        self._around = self._pieces.num_special_tokens_to_add(False)
        self.window = window
        self.special = self._around + len(self.spans(passage_prefix))

    def spans(self, text: str) -> Sequence[tuple[int, int]]:
        """The code-point span of each token of `text`, in order; special tokens left out."""
        return list(self._pieces.encode(_whole(text), add_special_tokens=False).offsets)

    def ids(self, texts: Sequence[str]) -> list[list[int]]:
        """The token ids of each text, special tokens included, nothing cut off."""
        return [encoding.ids for encoding in self._pieces.encode_batch_fast([_whole(text) for text in texts])]

    def shortened_ids(self, text: str) -> list[int]:
        """The token ids of `text`, cut at its end so that they fit the window with their special tokens."""
        return list(self._shortened(text).ids)

    def shortened_spans(self, text: str) -> list[tuple[int, int] | None]:
        """The code-point span of each of `shortened_ids`; None where a special token stands."""
        encoding = self._shortened(text)
        marked = zip(encoding.offsets, encoding.special_tokens_mask, strict=True)
        return [None if special else span for span, special in marked]

    def _shortened(self, text: str) -> Encoding:
        encoding: Encoding = self._pieces.encode(_whole(text), add_special_tokens=False)
        encoding.truncate(self.window - self._around)
        return self._pieces.post_process(encoding)


def _whole(text: str) -> str:
    """`text` with every lone surrogate replaced, one code point for one: offsets stay true."""
    return LONE_SURROGATE.sub("\ufffd", text)
