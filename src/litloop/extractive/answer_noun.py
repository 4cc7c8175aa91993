"""Of one passage, the sentence that names what is asked for goes before one that gives the value of something else.

"What is the fine?" is nearer in meaning to the sentence about the permit and its fee than to "whoever acts without one
pays a fine of 100 euros". No weight of a sign mends that; the noun asked for does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set

import numpy as np
from numpy.typing import NDArray

from litloop.core.records import Passage
from litloop.extractive.passage_sentences import PassageSentence
from litloop.question import answer_word

Array = NDArray[np.float64]
Held = Callable[[str], Set[str]]


class AnswerNounMatcher:
    """Which sentences name what a question asks for. `held` gives the terms of a text, equal for forms of one word."""

    def __init__(self, question: str, held: Held) -> None:
        self._held = held
        self.word = answer_word(question)
        self._word = held(self.word)
        self._words = held(question)

    def names(self, sentence: PassageSentence) -> bool:
        """Whether it or its heading bears the word, or there is none to bear."""
        return self._held(f"{sentence.heading} {sentence.text}") >= self._word

    def named_in(self, passage: Passage) -> bool:
        return self._held(f"{passage.title} {passage.heading} {passage.text}") >= self._word

    def first(
        self, sentences: Sequence[PassageSentence], fits: Sequence[float], ranks: Array, chances: Array
    ) -> tuple[Array, Array]:
        """Ranks and chances (n,), where in each passage such a sentence has changed places with the best that is none.

        It must hold a value that fits the wanted type as well (`fits`: 1, .5, 0), and bear with its title and headings
        every word of the question that the other bears with them: of what, and under which condition, is asked as well.
        """
        if not self._word:
            return ranks, chances
        ranks, chances = ranks.copy(), chances.copy()
        told = [fit > 0 and self.names(sentence) for sentence, fit in zip(sentences, fits, strict=True)]
        borne = [self._words & self._held(f"{one.under} {one.text}") for one in sentences]
        places = np.array([sentence.place for sentence in sentences])
        for place in np.unique(places):
            own = [int(row) for row in np.flatnonzero(places == place)]
            best = max(own, key=lambda row: ranks[row])
            better = [row for row in own if told[row] and fits[row] >= fits[best] and borne[row] >= borne[best]]
            if better and not told[best]:
                pair = [best, max(better, key=lambda row: ranks[row])]
                ranks[pair], chances[pair] = ranks[pair[::-1]], chances[pair[::-1]]
        return ranks, chances
