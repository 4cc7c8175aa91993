"""A text of several sentences, and a sentence of several questions, taken apart."""

from __future__ import annotations

import re

from litloop.question.frame import Frame, analyse
from litloop.question.lexicon import lexicon
from litloop.question.morphology import verb_form
from litloop.question.verbs import starts_request

MOST_PARTS = 8
_MOST_JOINTS = 24  # joints of one sentence that are looked at: time stays linear in long texts

_END = re.compile(r"(?<=[.?!])[\"')\]]*+\s++(?=[\"'(\[]?[^\W_])|(?<=\?)\s*+(?=\S)|(?<!\s)[^\S\n]*+\n\s*+")
# A full stop after one of these ends no sentence.
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|vs|v|no|nos|art|arts|sec|dr|mr|mrs|ms|prof|fig|figs|p|pp|cf|approx|al|etc|inc|ltd|co|corp|st|cl"
    r"|para|ch|vol|ed|eq|eqs|ref|refs|max|min|resp|incl|excl|ca|spp|sp|subsp|[a-z])\.)$",
    re.IGNORECASE,
)
_COURTESY = re.compile(
    r"\W*(?:many |kind |best |with )?(?:thanks?|thank you|cheers|regards|tia|ta|please advise|hello|hi|hey)"
    r"(?: there| all| you| in advance| so much| a lot| very much| for your help)*\W*",
    re.IGNORECASE,
)
_JOINT = re.compile(
    r"(?P<sign>[,;:?]|\s[-–—])?\s*(?P<word>\b(?:and|but|plus|or|as well as|then)\b)?"
    r"(?P<link>(?:[ ,]{0,8}+\b(?:also|then|finally|secondly|if so|if yes|if not|in that case|if it is|if they do|"
    r"if it does)\b,?){0,4}+)\s+",
    re.IGNORECASE,
)
_NEXT_WORDS = re.compile(r"[^\W_]+(?:[-'][^\W_]+)*|[^\w\s]")
_TWO_OPENERS = re.compile(
    r"^(?P<first>when|where|who|by whom|at what \w+|how much|how often)(?:,)? and "
    r"(?P<second>when|where|by whom|for how long|how often|how much|in which \w+|at what \w+|to whom)\b(?P<rest>.+)$",
    re.IGNORECASE,
)


def question_sentences(text: str) -> list[str]:
    """The sentences of a question. Full stops in abbreviations, numbers and names end none."""
    pieces: list[str] = []
    start = 0
    for match in _END.finditer(text):
        piece = text[start : match.start()]
        if _ABBREVIATION.search(piece[-8:]) and "\n" not in match[0]:
            continue
        pieces.append(piece.strip())
        start = match.end()
    pieces.append(text[start:].strip())
    spoken = [piece for piece in pieces if any(char.isalnum() for char in piece)]
    return [piece for piece in spoken if not _COURTESY.fullmatch(piece)] or spoken


def clauses(sentence: str) -> list[tuple[str, str]]:
    """The questions joined in one sentence, each with the words that joined it ("and", "if so", "then").

    One that asks for a single explanation ("explain what it is and how it works") stays whole.
    """
    opened = _TWO_OPENERS.match(sentence.strip())
    if opened:
        rest = opened["rest"]
        return [(f"{opened['first']}{rest}", ""), (f"{opened['second'].capitalize()}{rest}", "and")]
    parts: list[tuple[str, str]] = []
    start, joined = 0, ""
    tried = 0
    for match in _JOINT.finditer(sentence):
        if tried >= _MOST_JOINTS or len(parts) + 1 >= MOST_PARTS:
            break
        if match.start() <= start or not (match["sign"] or match["word"]):
            continue
        following = _NEXT_WORDS.findall(sentence[match.end() : match.end() + 60].lower())[:5]
        if not following:
            continue
        head = sentence[start : match.start()]
        if not _may_open(
            following,
            word=(match["word"] or "").lower(),
            sign=match["sign"] or "",
            linked=bool(match["link"].strip(" ,")),
        ):
            continue
        tried += 1
        first = analyse(head)
        if not _complete(first, following, (match["word"] or "").lower()):
            continue
        parts.append((head.strip(), joined))
        joined = f"{match['word'] or ''}{match['link'] or ''}".strip(" ,").lower() or ","
        start = match.end()
    parts.append((sentence[start:].strip(), joined))
    return parts


def _complete(first: Frame, following: list[str], word: str) -> bool:
    """Whether what stands before the joint is a question by itself, to which another can be added."""
    if first.opener in {"phrase", "statement"} or (word == "or" and first.opener == "yesno"):
        return False
    request = following[0] in lexicon().imperatives and following[0] not in lexicon().auxiliaries
    if request:
        return first.opener == "request" or first.verb != ""
    return first.verb not in {"explain", "summarise"} or following[0] in {"which", "who"}


def _may_open(following: list[str], *, word: str, sign: str, linked: bool) -> bool:
    """Whether the words after a joint open a question of their own."""
    words = lexicon()
    first = following[0]
    second = following[1] if len(following) > 1 else ""
    if not word and not linked and sign not in {";", "?"}:
        # After a bare comma only an inverted question is one; else it is a relative clause or an apposition.
        return (
            first in {"what", "why", "how", "who"} and (second in words.auxiliaries or first == "how") and sign == ","
        )
    if first in {"what", "why", "how", "whose", "whom"}:
        return True
    if first == "who":
        return second not in words.prepositions
    if first == "which":
        return second not in words.determiners and not (verb_form(second) == "third" and word != "and")
    if first in {"when", "where"}:
        return second in words.auxiliaries or second in {"", "?"}
    if first in words.prepositions and second in {"what", "which", "whom", "whose", "how"}:
        return True
    if first in {"do", "does", "did"}:
        return second not in {"not", "so", "n't"} and second not in words.prepositions
    if first in words.auxiliaries:
        return second in words.determiners or second in words.pronouns
    return starts_request(following, 0) and (
        second in words.determiners
        or second in words.pronouns
        or second in {"how", "what", "why", "which", "who", "when", "where", "out", "any", "all"}
    )
