"""Negation: what a sentence denies, and where two sentences deny each other.

Scopes follow NegEx (Chapman et al. 2001) and its successors: a cue such as "no" or "failed to" negates what follows
up to the end of its clause; "was not seen", "is absent" and the like negate what precedes. Two negations of one word
cancel out. Rules see words, not meaning: what they find is a reason to doubt, not a verdict.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass

from litloop.text.lexicon import words
from litloop.text.sentences import Span

_REACH = 10  # words a cue negates at most

_TOKEN = re.compile(r"[^\W_]+(?:[-'][^\W_]+)*|[^\w\s]")
# Look like negations and are none.
_PSEUDO = (
    r"not only|not just|not merely|not necessarily|no doubt|without doubt|whether or not|not to mention|nothing but"
    r"|if not|no (?:later|earlier|sooner) than|no wonder|not least|not so much|non-?trivial|no matter"
)
_FORWARD = (
    r"no(?: longer| significant| clear| convincing)? evidence(?: for| of| that)?|no longer|not|cannot|never|neither|nor"
    r"|without|no|none of|absence of|absent|lack(?:s|ed|ing)?(?: of)?|fail(?:s|ed|ing)?(?: to)?|failure (?:to|of)"
    r"|unable to|inability to|unlikely to|free (?:of|from)|negative for|rather than|instead of|den(?:y|ies|ied)"
    r"|excluding|ruled out|rul(?:e|es|ing) out|devoid of|refut(?:e|es|ed|ing)|disprov(?:e|es|ed|ing)|[a-z]+n't"
)
_SEEN = (
    "seen|observed|found|detected|present|identified|noted|reported|evident|visible|shown|demonstrated|confirmed"
    "|replicated|recorded|apparent|supported|affected|altered|changed|associated|related|correlated|different"
    "|significant|required|necessary|sufficient|detectable|expressed|effective"
)
_IS = "(?:is|are|was|were|be|been|being)"
_AUXILIARY = "(?:is|are|was|were|has|have|had|could|can|would|did|do|does)"
_BACKWARD = (
    rf"{_IS} (?:also |thus |therefore )?(?:not|never)(?: \w+ly)? (?:been )?(?:{_SEEN})"
    rf"|{_AUXILIARY}(?: not|n't) (?:be |been )?(?:{_SEEN}|occur|exist|appear)"
    rf"|(?:cannot|could not|can not) be \w+|(?:has|have) been (?:excluded|ruled out)"
    rf"|(?:{_IS}|remains?|remained) (?:absent|lacking|missing|undetectable|excluded|ruled out|negative(?! for))"
    r"|failed to (?:occur|appear|develop)"
)
_CUES = re.compile(
    rf"(?<![\w-])(?:(?P<pseudo>{_PSEUDO})|(?P<backward>{_BACKWARD})|(?P<forward>{_FORWARD}))(?![\w-])", re.IGNORECASE
)
_ENDS = words(
    """
    but however although though yet whereas while except because unless despite which who where when if suggesting
    indicating until besides
    """
)
_STOPS = frozenset(".;:()[]!?—")
_VERBS = words("is are was were has have had did do does")
_OVER_COMMAS = re.compile(r"(?:no|without|neither|nor|none of|absence of|lack|negative for|free)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class NegationScope:
    """A cue and the stretch it negates, as spans of the sentence."""

    cue: Span
    start: int
    end: int


def negation_scopes(sentence: str) -> list[NegationScope]:
    """What is negated in `sentence`, in the order of the cues."""
    level = _level(sentence)
    tokens = [match.span() for match in _TOKEN.finditer(level)]
    cues = [cue for cue in _CUES.finditer(level) if not cue["pseudo"]]
    starts = {cue.start() for cue in cues}
    scopes = []
    for cue in cues:
        if cue["forward"]:
            scopes.append(NegationScope(cue.span(), *_after(level, tokens, cue, starts)))
        else:
            scopes.append(NegationScope(cue.span(), _before(level, tokens, cue.start()), cue.end()))
    return scopes


def is_negated(scopes: list[NegationScope], start: int, end: int) -> bool:
    """Whether an odd number of scopes covers [start, end)."""
    return sum(scope.start <= start and end <= scope.end for scope in scopes) % 2 == 1


def _level(sentence: str) -> str:
    """The sentence with plain apostrophes and dashes, every character in its place."""
    return sentence.translate(_PLAIN)


_PLAIN = str.maketrans("’‘‐‑\u00a0", "''-- ")


def _after(level: str, tokens: list[Span], cue: re.Match[str], cues: set[int]) -> Span:
    """To the end of the clause or of the list; another cue in the list ("no A, no B") takes over."""
    in_list = _OVER_COMMAS.match(cue[0]) is not None
    end, count, last = cue.end(), 0, ""
    first = bisect_left(tokens, (cue.end(), 0))
    for start, stop in tokens[first : first + 3 * _REACH]:
        word = level[start:stop].lower()
        takes_over = start in cues and (last in (",", "and", "or") or word == "nor")
        if word in _STOPS or word in _ENDS or count == _REACH or takes_over or (word == "," and not in_list):
            break
        in_list = in_list and word not in _VERBS
        count += word[0].isalnum()
        end, last = stop, word
    return cue.end(), end


def _before(level: str, tokens: list[Span], position: int) -> int:
    begin = position
    last = bisect_left(tokens, (position, 0))
    for start, stop in reversed(tokens[max(0, last - _REACH) : last]):
        word = level[start:stop].lower()
        if word in _STOPS or word in _ENDS or word == ",":
            break
        begin = start
    return begin
