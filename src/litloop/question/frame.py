"""How a question is built: what opens it, what noun it asks for, and what stands before the question proper.

No model and no part-of-speech tagger: closed word classes, a list of verbs, and the order of words. The frame is
what the rules in the tables look at.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from litloop.question.courtesies import normalised_question, strip_lead_ins
from litloop.question.lexicon import lexicon
from litloop.question.morphology import verb_form
from litloop.question.nouns import NO_NOUN, NounPhrase, object_phrase, starts_as_verb, subject_phrase
from litloop.question.tables import compiled
from litloop.question.tokens import at, tokenise
from litloop.question.verbs import has_finite_verb, opens_yes_no, starts_request, subject_follows

_WH = frozenset("what which who whom whose when where why how".split())  # noqa: SIM905
_AFTER_PREPOSITION = frozenset({"what", "which", "whom", "whose", "how", "why"})
_BREAKS = frozenset(",:;-–—)(.")


@dataclass(frozen=True, slots=True)
class Frame:
    """`sentence` is the whole, lower case, contractions written out; `core` the question proper in it, without
    courtesies and fronted clauses.

    opener: what which who whom whose when where why how | yesno | request | statement | phrase
    """

    sentence: str
    core: str
    opener: str
    fronted: str = ""
    verb: str = ""  # class of the verb of a request: list, explain, show, …
    word: str = ""  # that verb, or the word after the question word (many, long, is)
    be: bool = False  # the question word is followed by a form of be: what are
    subject: bool = False  # the noun stands right after the question word: which drugs
    noun: NounPhrase = NO_NOUN
    acts: bool = False  # what can void the cover: the question word is the subject of a modal verb
    asked: bool = False  # ends with a question mark, or holds a question word

    @property
    def clauses(self) -> str:
        """The fronted clause and the question proper, without courtesies: "tell me if" is no condition."""
        return f"{self.fronted}, {self.core}" if self.fronted else self.core

    @property
    def terms(self) -> str:
        """What stands before the first preposition: in bare terms, what is asked for. No value is, by bodily terms."""
        words = compiled("<BODILY>").sub(" ", self.core).split()
        cut = next((i for i, word in enumerate(words) if i and word in lexicon().prepositions), len(words))
        return " ".join(words[:cut])

    @property
    def number(self) -> str:
        """Of the noun asked for: plural, singular, or "" when there is none."""
        return "plural" if self.noun.plural else "singular" if self.noun.head else ""


def analyse(sentence: str) -> Frame:
    """The frame of one sentence. Time is linear in its length, and bounded."""
    text = normalised_question(sentence)
    asked = text.rstrip(" .!\"')").endswith("?")
    text = text.strip(" ?!.;:,\"'")
    core, whether = strip_lead_ins(text)
    tokens = tokenise(core)
    start = 0 if whether else _question_start(tokens, asked=asked)
    if start == 0:
        return replace(_frame(tokens, core, whether=whether, asked=asked), sentence=text, asked=asked)
    fronted = " ".join(tokens[:start]).strip(" ,:;-–—")
    core, whether = strip_lead_ins(_from_token(core, tokens, start))
    frame = _frame(tokenise(core), core, whether=whether, asked=asked)
    return replace(frame, sentence=text, fronted=fronted, asked=True)


def _from_token(core: str, tokens: list[str], start: int) -> str:
    """The text from token `start` on, punctuation and spacing as written."""
    position = 0
    for token in tokens[:start]:
        position = core.index(token, position) + len(token)
    return core[position:].lstrip(" ,:;-–—")


# --- Where the question proper begins ---------------------------------------------------------------------


def _question_start(tokens: list[str], *, asked: bool) -> int:
    """Its first token: at the front, after a fronted clause, or at a question word inside."""
    if _opens(tokens, 0):
        return 0
    for index, token in enumerate(tokens[:-1]):
        if token in _BREAKS:
            start = _after_fillers(tokens, index + 1)
            if _opens(tokens, start, after_break=True):
                return start
    for index in range(1, len(tokens)):
        if _asks_inside(tokens, index, asked=asked):
            return index - 1 if index > 1 and tokens[index - 1] in lexicon().prepositions else index
        if asked and opens_yes_no(tokens, index) and tokens[0] in lexicon().grammar["fronting"]:
            return index
    return 0


def _after_fillers(tokens: list[str], index: int) -> int:
    while at(tokens, index) in lexicon().grammar["before_question"]:
        index += 1
    return index


def _asks_inside(tokens: list[str], index: int, *, asked: bool) -> bool:
    token = tokens[index]
    if token in {"what", "how", "why"}:
        return True
    if token in {"when", "where"}:
        return subject_follows(tokens, index + 1)
    if token == "who":  # noqa: S105  under clause 4.2 who is liable: no noun that "who" could belong to
        return at(tokens, index + 1) in lexicon().auxiliaries and tokens[index - 1][-1].isdecimal()
    # The policy lapses on which day? The question word stands where its answer would.
    stands_last = index > 1 and index >= len(tokens) - 4
    return asked and token == "which" and stands_last and tokens[index - 1] in lexicon().prepositions  # noqa: S105


def _opens(tokens: list[str], index: int, *, after_break: bool = False) -> bool:
    if index >= len(tokens):
        return False
    first, following = tokens[index], at(tokens, index + 1)
    if first in {"when", "where"}:
        located = index == 0 and first == "where" and following in lexicon().prepositions
        return located or subject_follows(tokens, index + 1)
    if first in _WH or (first in lexicon().prepositions and following in _AFTER_PREPOSITION):
        return True
    return opens_yes_no(tokens, index, after_break=after_break) or starts_request(tokens, index)


# --- What kind of question it is ----------------------------------------------------------------------------


def _frame(tokens: list[str], core: str, *, whether: bool, asked: bool) -> Frame:
    if not tokens:
        return Frame(core, core, "phrase")
    if whether or tokens[0] == "whether":
        return Frame(core, core, "yesno")
    index = int(tokens[0] in lexicon().prepositions and at(tokens, 1) in _AFTER_PREPOSITION)
    if tokens[index] in _WH and (len(tokens) == 1 or _opens(tokens, index)):
        return _asked_with(tokens[index], tokens, index + 1, core)
    if opens_yes_no(tokens, 0):
        return Frame(core, core, "yesno", word=tokens[0], noun=object_phrase(tokens, 1))
    if starts_request(tokens, 0):
        return _request(tokens, core)
    noun = object_phrase(tokens, 0)
    if has_finite_verb(tokens, noun.end if noun.head else 0):
        return Frame(core, core, "yesno" if asked else "statement", noun=noun)
    return Frame(core, core, "phrase", noun=noun)


def _asked_with(wh: str, tokens: list[str], index: int, core: str) -> Frame:
    """The frame of a question with a question word; `index` is the token after it."""
    following = at(tokens, index)
    if wh == "how":
        noun = object_phrase(tokens, index + 1) if following in lexicon().grammar["quantities"] else NO_NOUN
        return Frame(core, core, "how", word=following, noun=noun)
    if wh in {"when", "where", "why"}:
        return Frame(core, core, wh, word=following, noun=object_phrase(tokens, index + 1))
    would_be = following in {"would", "will", "could", "might"} and at(tokens, index + 1) == "be"
    if following in lexicon().be or would_be:
        noun = object_phrase(tokens, index + 1 + would_be)
        return Frame(core, core, wh, word=following, be=True, noun=noun)
    if following in lexicon().auxiliaries or wh in {"who", "whom"}:
        return Frame(core, core, wh, word=following, acts=_acts(tokens, index))
    if following in {"of", "one", "ones"}:
        return Frame(core, core, wh, word=following, subject=True, noun=_one_of(tokens, index))
    noun = NO_NOUN if starts_as_verb(wh, tokens, index) else subject_phrase(tokens, index)
    return Frame(core, core, wh, word=following, subject=bool(noun.head), noun=noun)


def _acts(tokens: list[str], index: int) -> bool:
    """What could … followed by a verb and its object, with no subject in between."""
    if at(tokens, index) not in {"can", "could", "may", "might", "would", "will", "should", "must"}:
        return False
    while at(tokens, index + 1) in lexicon().adverbs or at(tokens, index + 1).endswith("ly"):
        index += 1
    return index + 2 < len(tokens) and verb_form(tokens[index + 1]) == "base" and tokens[-1] != "be"


def _one_of(tokens: list[str], index: int) -> NounPhrase:
    """Which of the trials …: all that fit. Which one, which of the two, which of these is …: a single one."""
    if tokens[index] != "of":
        return NounPhrase("one", plural=tokens[index] == "ones")
    noun = object_phrase(tokens, index + 1)
    verb = at(tokens, noun.end)
    alone = verb in {"is", "was", "has", "does"} or verb_form(verb) == "third" or noun.count == 2
    return replace(noun, plural=noun.plural and not alone)


def _request(tokens: list[str], core: str) -> Frame:
    """Give me …, list …, explain why …: a request may hold a question of its own."""
    index = 1
    while at(tokens, index) in lexicon().grammar["request_fillers"]:
        index += 1
    kind = lexicon().imperatives.get(tokens[0], "show")
    following = at(tokens, index)
    if following not in _WH | {"whether", "if"}:
        return Frame(core, core, "request", verb=kind, word=tokens[0], noun=object_phrase(tokens, index))
    inside = _from_token(core, tokens, index)
    frame = _frame(tokens[index:], inside, whether=following in {"whether", "if"}, asked=True)
    if following in {"when", "where"}:  # followed by its subject: explain when the cover ends
        frame = replace(frame, opener=following)
    return replace(frame, verb=kind, core=core)
