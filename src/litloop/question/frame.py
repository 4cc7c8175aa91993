"""How a question is built: what opens it, what noun it asks for, and what stands before the question proper.

No model and no part-of-speech tagger: closed word classes, a list of verbs, and the order of words. The frame is
what the rules in `shape.toml` look at.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache

from litloop.question.lexicon import lexicon
from litloop.question.morphology import is_ambiguous, is_plural, verb_form
from litloop.question.nouns import NounPhrase, object_phrase, starts_as_verb, subject_phrase
from litloop.question.tables import compiled, read_table
from litloop.question.verbs import opens_yes_no, starts_request, subject_follows

TOKEN = re.compile(r"[^\W_]+(?:[-'./][^\W_]+)*'?%?|[^\w\s]|_+")
LONGEST = 1200  # characters of one sentence that are looked at; a question is not longer, and time stays bounded

_CONTRACTED = re.compile(r"\b(what|who|where|when|why|how|that|there|it|here|which)'s\b")
_ARE = re.compile(r"\b(what|who|where|when|why|how|which|they|we|you)'re\b")
_AFTER_PREPOSITION = frozenset({"what", "which", "whom", "whose", "how", "why"})
_BREAKS = frozenset(",:;-–—)(.")
_QUANTITIES = frozenset(
    "many much long often far old big large high low deep fast heavy thick wide tall soon hot cold strong frequently "
    "quickly likely accurate precise late early close near short small hard loud bright dense steep tight "
    "sensitive rapidly expensive costly common prevalent strongly great".split()
)


@dataclass(frozen=True, slots=True)
class Frame:
    """`core` is the question proper, lower case, contractions written out, without courtesies and fronted clauses.

    opener: what which who whose whom when where why how | yesno | request | statement | phrase
    """

    sentence: str
    core: str
    opener: str
    fronted: str = ""
    verb: str = ""  # class of the verb of a request: list, explain, show, …
    word: str = ""  # that verb, or the word after how (many, long, do)
    preposition: str = ""  # in front of the question word: in which year
    be: bool = False  # the question word or the request is followed by a form of be: what are
    subject: bool = False  # the noun stands right after the question word: which drugs
    noun: NounPhrase = NounPhrase()
    acts: bool = False  # what can void the cover: the question word is the subject of a modal verb
    asked: bool = False  # ends with a question mark

    @property
    def clauses(self) -> str:
        """The fronted clause and the question proper, without courtesies: "tell me if" is no condition."""
        return f"{self.fronted}, {self.core}" if self.fronted else self.core

    @property
    def terms(self) -> str:
        """What stands before the first preposition: in bare terms, what is asked for."""
        tokens = self.core.split()
        cut = next((i for i, token in enumerate(tokens) if i and token in lexicon().prepositions), len(tokens))
        return " ".join(tokens[:cut])

    @property
    def number(self) -> str:
        return "plural" if self.noun.plural else "singular" if self.noun.head else ""


def analyse(sentence: str) -> Frame:
    """The frame of one sentence. Time is linear in its length, and bounded."""
    text = normalise(sentence)
    asked = text.rstrip(" .!\"')").endswith("?")
    text = text.strip(" ?!.;:,\"'")
    core, polite = strip_lead_ins(text)
    if not core:
        core = text
    tokens = TOKEN.findall(core)
    start, conjunct = _question_start(tokens, asked=asked)
    if polite == "whether":
        start = 0
    fronted = " ".join(tokens[:start]).strip(" ,:;-–—") if start > 0 else ""
    if start > 0:
        core, more = strip_lead_ins(_tail(core, tokens, start))
        tokens = TOKEN.findall(core)
        polite = polite or more
    frame = _frame(tokens, core, whether=polite == "whether", asked=asked)
    return replace(frame, sentence=text, fronted=fronted, asked=asked or conjunct)


def normalise(sentence: str) -> str:
    lower = sentence[:LONGEST].lower() if len(sentence) <= LONGEST else sentence[-LONGEST:].lower()
    return _ARE.sub(r"\1 are", _CONTRACTED.sub(r"\1 is", lower)).strip()


@cache
def _lead_ins() -> tuple[tuple[re.Pattern[str], str], ...]:
    rows: list[dict[str, str]] = read_table("lead_ins.toml")["lead_in"]
    return tuple((compiled(row["starts"]), row.get("means", "")) for row in rows)


def strip_lead_ins(text: str) -> tuple[str, str]:
    """`text` without greetings and courtesies, and "whether" when what is left is asked as a yes-or-no question."""
    meaning = ""
    for _ in range(6):
        for pattern, means in _lead_ins():
            match = pattern.match(text)
            if match and match.end() < len(text):
                text = text[match.end() :].lstrip(" ,:;-")
                meaning = means or meaning
                break
        else:
            break
    return text, meaning


def _tail(core: str, tokens: list[str], start: int) -> str:
    """The text from token `start` on, punctuation and spacing as written."""
    position = 0
    for token in tokens[:start]:
        position = core.index(token, position) + len(token)
    return core[position:].lstrip(" ,:;-–—")


def _question_start(tokens: list[str], *, asked: bool) -> tuple[int, bool]:
    """Where the question proper begins: at the front, after a fronted clause, or at a question word inside."""
    if _opens(tokens, 0):
        return 0, False
    for index, token in enumerate(tokens[:-1]):
        if token in _BREAKS and _opens(tokens, index + 1 + _skipped(tokens, index + 1), after_break=True):
            return index + 1 + _skipped(tokens, index + 1), True
    for index, token in enumerate(tokens):
        if (
            token in {"what", "how", "why"}
            or _in_place(tokens, index, asked=asked)
            or (index and token in {"when", "where"} and subject_follows(tokens, index + 1))
        ):
            before = tokens[index - 1] if index else ""
            return (index - 1 if before in lexicon().prepositions and index > 1 else index), True
        if asked and index and opens_yes_no(tokens, index) and tokens[0] in _FRONTING:
            return index, True
    return 0, False


def _in_place(tokens: list[str], index: int, *, asked: bool) -> bool:
    """The policy lapses on which day? The question word stands where its answer would."""
    return (
        asked
        and tokens[index] == "which"
        and index > 1
        and index >= len(tokens) - 4
        and tokens[index - 1] in lexicon().prepositions
    )


_FRONTING = frozenset(
    "if when in under for on at with given after before during unless where once according per".split()
)
_SKIPPED = frozenset("and so then but also please kindly just exactly or well ok okay now".split())


def _skipped(tokens: list[str], index: int) -> int:
    count = 0
    while index + count < len(tokens) and tokens[index + count] in _SKIPPED:
        count += 1
    return count


def _opens(tokens: list[str], index: int, *, after_break: bool = False) -> bool:
    if index >= len(tokens):
        return False
    words = lexicon()
    first = tokens[index]
    following = tokens[index + 1] if index + 1 < len(tokens) else ""
    if first in {"what", "why", "how", "who", "whose", "whom"}:
        return True
    if first in {"which", "where", "when"}:
        located = index == 0 and first == "where" and following in words.prepositions
        return first == "which" or located or subject_follows(tokens, index + 1)
    if first in words.prepositions and following in _AFTER_PREPOSITION:
        return True
    return opens_yes_no(tokens, index, after_break=after_break) or starts_request(tokens, index)


def _frame(tokens: list[str], core: str, *, whether: bool, asked: bool) -> Frame:
    if not tokens:
        return Frame(core, core, "phrase")
    if len(tokens) == 1 and tokens[0] in lexicon().wh:
        return Frame(core, core, tokens[0])
    if whether or tokens[0] == "whether":
        return Frame(core, core, "yesno")
    preposition, index = "", 0
    if tokens[0] in lexicon().prepositions and len(tokens) > 1 and tokens[1] in _AFTER_PREPOSITION:
        preposition, index = tokens[0], 1
    first = tokens[index]
    if first in {"what", "which", "who", "whom", "whose", "when", "where", "why", "how"} and _opens(tokens, index):
        return replace(_asked_with(first, tokens, index + 1, core), preposition=preposition)
    if opens_yes_no(tokens, 0):
        return Frame(core, core, "yesno", word=first, noun=object_phrase(tokens, 1))
    if starts_request(tokens, 0):
        return _request(tokens, core)
    return _without_opener(tokens, core, asked=asked)


def _asked_with(wh: str, tokens: list[str], index: int, core: str) -> Frame:
    following = tokens[index] if index < len(tokens) else ""
    if wh == "how":
        noun = object_phrase(tokens, index + 1) if following in _QUANTITIES else NounPhrase()
        return Frame(core, core, "how", word=following, noun=noun)
    if wh in {"when", "where", "why"}:
        return Frame(core, core, wh, word=following, noun=object_phrase(tokens, index + 1))
    if (
        following in lexicon().be
        or following in {"would", "will", "could", "might"}
        and _next_is(tokens, index + 1, "be")
    ):
        skip = index + 1 if following in lexicon().be else index + 2
        return Frame(core, core, wh, word=following, be=True, noun=object_phrase(tokens, skip))
    if following in lexicon().auxiliaries or wh in {"who", "whom"}:
        return Frame(core, core, wh, word=following, acts=_acts(tokens, index))
    if wh in {"which", "what"} and following in {"of", "one", "ones"}:
        return _one_of(wh, tokens, index, core)
    noun = NounPhrase() if starts_as_verb(wh, tokens, index) else subject_phrase(tokens, index)
    return Frame(core, core, wh, word=following, subject=bool(noun.head), noun=noun)


def _acts(tokens: list[str], index: int) -> bool:
    """What could … followed by a verb and its object, with no subject in between."""
    if tokens[index] not in {"can", "could", "may", "might", "would", "will", "should", "must"}:
        return False
    while index + 1 < len(tokens) and (tokens[index + 1] in lexicon().adverbs or tokens[index + 1].endswith("ly")):
        index += 1
    verb = tokens[index + 1] if index + 1 < len(tokens) else ""
    return index + 2 < len(tokens) and verb_form(verb) == "base" and tokens[-1] != "be"


def _one_of(wh: str, tokens: list[str], index: int, core: str) -> Frame:
    """Which of the trials …: all that fit. Which one of …, which of these is …: a single one."""
    if tokens[index] == "of":
        noun = object_phrase(tokens, index + 1)
        verb = tokens[noun.end] if noun.end < len(tokens) else ""
        alone = verb in {"is", "was", "has", "does"} or noun.count == 2
        return Frame(core, core, wh, word="of", subject=True, noun=replace(noun, plural=noun.plural and not alone))
    return Frame(
        core, core, wh, word=tokens[index], subject=True, noun=NounPhrase(plural=tokens[index] == "ones", head="one")
    )


def _next_is(tokens: list[str], index: int, word: str) -> bool:
    return index < len(tokens) and tokens[index] == word


_OBJECT_FILLERS = frozenset("me us out up down for the back through over".split())


def _request(tokens: list[str], core: str) -> Frame:
    verb, index = tokens[0], 1
    while index < len(tokens) and tokens[index] in {
        "me",
        "us",
        "out",
        "up",
        "down",
        "for",
        "through",
        "over",
        "to",
        "at",
        "together",
        "again",
        "briefly",
        "just",
        "into",
    }:
        index += 1
    kind = lexicon().imperatives.get(verb, "show")
    following = tokens[index] if index < len(tokens) else ""
    if following in {"what", "which", "who", "whom", "whose", "when", "where", "why", "how", "whether", "if"}:
        inner = _frame(tokens[index:], _tail(core, tokens, index), whether=following in {"whether", "if"}, asked=True)
        if following in {"when", "where"} and inner.opener not in {"when", "where"}:
            inner = replace(inner, opener=following)
        return replace(inner, verb=kind, core=core)
    return Frame(core, core, "request", verb=kind, word=verb, noun=object_phrase(tokens, index))


def _without_opener(tokens: list[str], core: str, *, asked: bool) -> Frame:
    """A noun phrase, a statement, or a statement asked as a question."""
    noun = object_phrase(tokens, 0)
    if _has_finite_verb(tokens, noun):
        return Frame(core, core, "yesno" if asked else "statement", noun=noun)
    return Frame(core, core, "phrase", noun=noun)


def _has_finite_verb(tokens: list[str], noun: NounPhrase) -> bool:
    words = lexicon()
    subject = noun.end if noun.head else int(tokens[0] in words.pronouns)
    for index in range(max(subject, 1), len(tokens)):
        token = tokens[index]
        if token in words.relatives or token in words.prepositions or token in _BREAKS:
            return tokens[0] in words.pronouns and index > 1
        if _is_verb_of_claim(tokens, index):
            return True
        if token in words.auxiliaries and token not in {"need", "may", "might"}:
            return True
        if token == "may" and not (index + 1 < len(tokens) and tokens[index + 1][0].isdigit()):
            return True
    return tokens[0] in words.pronouns and len(tokens) > 1


_CLAIMS = frozenset("increase decrease cause influence impact result lead control affect drive help".split())


def _is_verb_of_claim(tokens: list[str], index: int) -> bool:
    """Statins decrease cholesterol; the enzyme inhibits growth: a verb that cannot be taken for a noun here."""
    token, subject = tokens[index], tokens[index - 1]
    if index + 1 >= len(tokens) or tokens[index + 1] in {"of"}:
        return False
    if verb_form(token) == "third":
        return not is_ambiguous(token) and not is_plural(subject)
    return verb_form(token) == "base" and is_plural(subject) and (token in _CLAIMS or not is_ambiguous(token))
