"""The noun that a question asks for: its head, its number, and what it is a member of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from litloop.question.lexicon import lexicon
from litloop.question.morphology import is_ambiguous, is_plural, verb_form
from litloop.question.tokens import at

_MOST_WORDS, _MOST_HEADS = 14, 8
_MOST_DIGITS = 9  # of a count
_NUMERALS = {
    "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "twelve": 12,
    "both": 2, "either": 2, "one": 1, "single": 1,
}  # fmt: skip
_PHRASE_SIGNS = frozenset("\"'“”&/")
_VERB_ENDINGS = ("ises", "izes", "ates", "ifies", "yses")  # of a third person whose verb is not in the list


@dataclass(frozen=True, slots=True)
class NounPhrase:
    """`head` is the noun as written; `words` the words before and with it; `of` the head of "of …" after it."""

    head: str = ""
    words: tuple[str, ...] = ()
    determiner: str = ""  # the quantifier when there is one (all, each, any), else the article
    count: int = 0  # three quotes: 3
    plural: bool = False
    coordinated: tuple[str, ...] = ()  # heads joined by and: the premium and the deductible
    of: str = ""
    of_plural: bool = False
    end: int = 0  # index of the first token after the phrase


NO_NOUN = NounPhrase()


def object_phrase(tokens: list[str], index: int) -> NounPhrase:
    """The phrase that starts at `index`, after a form of be, a request, or at the front."""
    return _completed(tokens, _collect(tokens, index, _ends_object))


def subject_phrase(tokens: list[str], index: int) -> NounPhrase:
    """The phrase right after which or what; its verb follows it, so the first plural noun is its head."""
    phrase = _collect(tokens, index, _ends_subject)
    if tokens[index - 1] == "what" and phrase.head in lexicon().collective:
        phrase = replace(phrase, plural=True)
    elif phrase.head in lexicon().grammar["unchanging"] and phrase.end < len(tokens):
        phrase = replace(phrase, plural=tokens[phrase.end] not in {"is", "was", "has", "does"})
    return _completed(tokens, phrase)


def starts_as_verb(wh: str, tokens: list[str], index: int) -> bool:
    """What happens …, what drives …, which performs …: the question word is itself the subject."""
    words = lexicon()
    token, following = at(tokens, index), at(tokens, index + 1)
    if token.endswith("ed") or token in words.irregular_past:
        return verb_form(token) == "past" and (following in words.determiners or following in words.prepositions)
    if not token.endswith("s") or following in words.auxiliaries:
        return False
    if f"{token}:{following}" in words.with_preposition:
        return True
    plainly = verb_form(token) == "third" and not is_ambiguous(token)
    if _follows_a_verb(following, form=verb_form(token)):
        # "Which documents the adjuster still needs": a later verb shows that the noun is a noun.
        return plainly or not any(_surely_a_verb(later) for later in tokens[index + 2 :])
    return plainly or (wh == "what" and token in words.subject_what and verb_form(following) != "base")


def _surely_a_verb(token: str) -> bool:
    return token in lexicon().auxiliaries or verb_form(token) in {"third", "past"}


def _follows_a_verb(token: str, *, form: str) -> bool:
    """Words that stand after a verb and never after the noun of which …: the, it, 30; better after a known verb."""
    words = lexicon()
    if token in words.determiners or token in words.pronouns or token[:1].isdecimal():
        return True
    return form == "third" and token in words.grammar["degrees"]


# --- One phrase, word by word -----------------------------------------------------------------------------


def _collect(tokens: list[str], index: int, ends: Callable[[list[str], int, list[str]], bool]) -> NounPhrase:
    words: list[str] = []
    determiner, quantifier, count, start = "", "", 0, index
    while index < len(tokens) and len(words) < _MOST_WORDS:
        token = tokens[index]
        if not words and (token in lexicon().determiners or _is_count(tokens, index)):
            count = _NUMERALS.get(token, int(token) if token.isdecimal() and len(token) <= _MOST_DIGITS else count)
            quantifier = token if token in lexicon().grammar["quantifiers"] else quantifier
            determiner = determiner or token
        elif token in _PHRASE_SIGNS or (not words and token in {"of", "and"} and index > start):
            pass
        elif ends(tokens, index, words):
            break
        else:
            words.append(token)
        index += 1
    while len(words) > 1 and (_trails(words[-1]) or words[-1] in lexicon().adverbs):
        words.pop()
    head = words[-1] if words else ""
    plural = bool(head) and (
        (is_plural(head) and head not in lexicon().one_value) or (count > 1 and not head.isdecimal())
    )
    return NounPhrase(head, tuple(words), quantifier or determiner, count, plural, end=index)


def _is_count(tokens: list[str], index: int) -> bool:
    token = tokens[index]
    return token in _NUMERALS or (token.isdecimal() and len(token) < 3 and at(tokens, index + 1).isalpha())


def _trails(word: str) -> bool:
    return word in lexicon().grammar["trailing"] or _is_participle(word)


def _is_participle(word: str) -> bool:
    return word.endswith("ed") and len(word) > 4 and word not in lexicon().grammar["ed_nouns"]


def _closes(token: str) -> bool:
    words = lexicon()
    closed = (words.prepositions, words.relatives, words.auxiliaries, words.conjunctions, words.pronouns, words.wh)
    return not token[0].isalnum() or any(token in group for group in closed)


def _ends_object(tokens: list[str], index: int, words: list[str]) -> bool:
    """Whether the phrase is over before the token at `index`; no verb is expected in it."""
    token, following = tokens[index], at(tokens, index + 1)
    if _closes(token):
        return True
    if not words or words[-1].endswith("'s"):
        return False
    if token in lexicon().determiners:
        return True
    if token in lexicon().head_classes:
        return False
    after_plural = is_plural(words[-1])
    form = verb_form(token)
    if after_plural and words[-1] not in lexicon().noun_adjuncts and form in {"past", "ing"}:
        return True
    if form in {"past", "ing"} or _is_participle(token):
        return following != "of" and (following in lexicon().prepositions or following in lexicon().determiners)
    return after_plural and form in {"base", "third"} and not is_ambiguous(token)


def _ends_subject(tokens: list[str], index: int, words: list[str]) -> bool:
    """Whether the phrase is over before the token at `index`; its verb is what ends it."""
    token = tokens[index]
    if _closes(token):
        return True
    if not words:
        return False
    form = verb_form(token)
    if is_plural(words[-1]):
        certain = form == "past" or (form == "base" and not is_ambiguous(token))
        return words[-1] not in lexicon().noun_adjuncts or certain
    if token in lexicon().determiners or token in lexicon().adverbs:
        return True
    return _is_finite(tokens, index)


def _is_finite(tokens: list[str], index: int) -> bool:
    """Whether a word after a singular noun is its verb: applies to, bears the, changed, catalyses glycolysis."""
    words = lexicon()
    token, following = tokens[index], at(tokens, index + 1)
    form = verb_form(token)
    if form == "past" or _is_participle(token):
        return True
    if not token.endswith("s") or token.endswith("ss"):
        return False
    if f"{token}:{following}" in words.with_preposition or _follows_a_verb(following, form=form):
        return True
    if form != "third":
        return token.endswith(_VERB_ENDINGS) and following not in words.auxiliaries
    if not is_ambiguous(token):
        return True
    if not following or following in words.auxiliaries or following in words.prepositions:
        return False
    noun_before_verb = verb_form(following) == "base" and (
        not is_ambiguous(following) or token in words.grammar["classifiers"]
    )
    return not noun_before_verb and at(tokens, index + 2) not in words.auxiliaries and verb_form(following) != "past"


# --- Phrases joined by "and" and "of" ---------------------------------------------------------------------


def _completed(tokens: list[str], phrase: NounPhrase) -> NounPhrase:
    return _with_of(tokens, _with_coordination(tokens, phrase)) if phrase.head else phrase


def _with_coordination(tokens: list[str], first: NounPhrase) -> NounPhrase:
    """Joins "the premium, the deductible and the broker's fee" to one phrase with three heads."""
    heads, end = [first.head], first.end
    while len(heads) < _MOST_HEADS:
        index = end
        while at(tokens, index) in {",", "and", "&"}:
            index += 1
        if index == end:
            break
        further = _collect(tokens, index, _ends_object)
        if not further.head or (not further.determiner and _is_verb(further.words[0])):
            break
        heads.append(further.head)
        end = further.end
    return replace(first, coordinated=tuple(heads), end=end) if len(heads) > 1 else first


def _is_verb(word: str) -> bool:
    return verb_form(word) in {"base", "past", "third"} and not is_ambiguous(word)


def _with_of(tokens: list[str], phrase: NounPhrase) -> NounPhrase:
    if at(tokens, phrase.end) != "of":
        return phrase
    inner = _collect(tokens, phrase.end + 1, _ends_object)
    return replace(phrase, of=inner.head, of_plural=inner.plural, end=inner.end)
