"""The noun that a question asks for: its head, its number, and what it is a member of."""

from __future__ import annotations

from dataclasses import dataclass, replace

from litloop.question.lexicon import lexicon
from litloop.question.morphology import is_ambiguous, is_plural, verb_form

_MOST_WORDS = 14
_NUMERALS = {
    "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "twelve": 12,
    "both": 2, "either": 2, "one": 1, "single": 1,
}  # fmt: skip
# Adjectives and participles that follow their noun: the documents required, the options available.
_TRAILING = frozenset(
    "available required needed used possible necessary present reported allowed covered excluded involved listed mentioned "
    "named described known permitted recommended given applicable likely responsible due payable eligible associated "
    "currently tested studied included proposed identified observed found seen applied exactly overall again please "
    "again here there together worldwide so today now above below affected prohibited exempt concerned relevant "
    "compatible active approved able subject".split()
)
_ED_NOUNS = frozenset("insured need seed feed speed bed breed deed weed shed red reed bleed unnamed".split())
_UNCHANGING = frozenset("species series means headquarters data".split())
_PHRASE_SIGNS = frozenset("\"'“”&/")
_DEGREES = frozenset(
    "better best worse worst more most less least faster fastest longer longest higher lower first well".split()
)
_QUANTIFIERS = frozenset(
    "all any some each every both several many various multiple different other few these those".split()
)


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
    of_determiner: str = ""
    end: int = 0  # index of the first token after the phrase


def object_phrase(tokens: list[str], index: int) -> NounPhrase:
    """The phrase that starts at `index`, after a form of be, a request, or at the front."""
    first = _collect(tokens, index, _ends_object)
    if not first.head:
        return first
    return _with_of(tokens, _with_coordination(tokens, first))


def subject_phrase(tokens: list[str], index: int) -> NounPhrase:
    """The phrase right after which or what; its verb follows it, so the first plural noun is its head."""
    first = _collect(tokens, index, _ends_subject)
    if tokens[index - 1] == "what" and first.head in lexicon().collective:
        first = replace(first, plural=True)
    elif first.head in _UNCHANGING and first.end < len(tokens):
        first = replace(first, plural=tokens[first.end] not in {"is", "was", "has", "does"})
    return _with_of(tokens, _with_coordination(tokens, first)) if first.head else first


def starts_as_verb(wh: str, tokens: list[str], index: int) -> bool:
    """What happens …, what drives …, which performs …: the question word is itself the subject."""
    if index >= len(tokens):
        return False
    words = lexicon()
    token, following = tokens[index], tokens[index + 1] if index + 1 < len(tokens) else ""
    if token.endswith("ed") or token in words.irregular_past:
        return verb_form(token) == "past" and (following in words.determiners or following in words.prepositions)
    if not token.endswith("s") or following in words.auxiliaries:
        return False
    if f"{token}:{following}" in words.with_preposition:
        return True
    if _follows_a_verb(following):
        # "Which documents the adjuster still needs": a later verb shows that the noun is a noun.
        plain = verb_form(token) == "third" and not is_ambiguous(token)
        return plain or not any(_surely_a_verb(later) for later in tokens[index + 2 :])
    if verb_form(token) == "third" and not is_ambiguous(token):
        return True
    return wh == "what" and token in words.subject_what and verb_form(following) != "base"


def _surely_a_verb(token: str) -> bool:
    return token in lexicon().auxiliaries or verb_form(token) in {"third", "past"}


def _follows_a_verb(token: str) -> bool:
    """Words that stand after a verb and never after the noun of which …: the, it, 30, better."""
    words = lexicon()
    return token in words.determiners or token in words.pronouns or token[:1].isdigit() or token in _DEGREES


def _collect(tokens: list[str], index: int, ends: object) -> NounPhrase:
    words: list[str] = []
    determiner, count, start = "", 0, index
    quantified = ""
    while index < len(tokens) and len(words) < _MOST_WORDS:
        token = tokens[index]
        if not words and (token in lexicon().determiners or token in _NUMERALS or _is_count(token, tokens, index)):
            count = _NUMERALS.get(token, int(token) if token.isdecimal() and len(token) < 4 else count)
            quantified = token if token in _QUANTIFIERS else quantified
            determiner = determiner or token
        elif token in _PHRASE_SIGNS or (not words and token in {"of", "and"} and index > start):
            pass
        elif token == "(" or ends(tokens, index, words):  # type: ignore[operator]
            break
        else:
            words.append(token)
        index += 1
    while len(words) > 1 and (_trails(words[-1]) or words[-1] in lexicon().adverbs):
        words.pop()
    head = words[-1] if words else ""
    plural = bool(head) and (_plural_head(words) or (count > 1 and not head.isdigit()))
    return NounPhrase(head, tuple(words), quantified or determiner, count, plural, (), "", False, "", index)


def _is_count(token: str, tokens: list[str], index: int) -> bool:
    return token.isdecimal() and len(token) < 3 and index + 1 < len(tokens) and tokens[index + 1].isalpha()


def _plural_head(words: list[str]) -> bool:
    head = words[-1]
    if head in lexicon().one_value:
        return False
    return is_plural(head)


def _trails(word: str) -> bool:
    return word in _TRAILING or (word.endswith("ed") and word not in _ED_NOUNS and len(word) > 4)


def _closes(token: str) -> bool:
    words = lexicon()
    return (
        token in words.prepositions
        or token in words.relatives
        or token in words.auxiliaries
        or token in words.conjunctions
        or token in words.pronouns
        or token in words.wh
        or not token[0].isalnum()
    )


def _ends_object(tokens: list[str], index: int, words: list[str]) -> bool:
    token = tokens[index]
    if _closes(token):
        return True
    if not words:
        return False
    following = tokens[index + 1] if index + 1 < len(tokens) else ""
    if token in lexicon().determiners:
        return True
    if words[-1].endswith("'s") or token in lexicon().head_classes:
        return False
    if is_plural(words[-1]) and words[-1] not in lexicon().noun_adjuncts and verb_form(token) in {"past", "ing"}:
        return True
    if token.endswith(("ed", "ing")) or token in lexicon().irregular_past:
        participle = verb_form(token) in {"past", "ing"} or (token.endswith("ed") and token not in _ED_NOUNS)
        return (
            participle
            and (following in lexicon().prepositions or following in lexicon().determiners)
            and following != "of"
        )
    return is_plural(words[-1]) and verb_form(token) == "base" and not is_ambiguous(token)


def _ends_subject(tokens: list[str], index: int, words: list[str]) -> bool:
    token = tokens[index]
    if _closes(token):
        return True
    if not words:
        return False
    if token in lexicon().determiners:
        return True
    previous = words[-1]
    following = tokens[index + 1] if index + 1 < len(tokens) else ""
    if is_plural(previous):
        return (
            previous not in lexicon().noun_adjuncts
            or verb_form(token) in {"past"}
            or (verb_form(token) == "base" and not is_ambiguous(token))
        )
    if token in lexicon().adverbs:
        return True
    return _is_finite(token, following, tokens, index)


def _is_finite(token: str, following: str, tokens: list[str], index: int) -> bool:
    """Whether a word after a singular noun is its verb: applies to, bears the, changed, catalyses glycolysis."""
    words = lexicon()
    form = verb_form(token)
    if form == "past" or (token.endswith("ed") and token not in _ED_NOUNS and len(token) > 4):
        return True
    if not token.endswith("s") or token.endswith("ss"):
        return False
    if f"{token}:{following}" in words.with_preposition or (following and _follows_a_verb(following)):
        return True
    if form != "third":
        return token.endswith(("ises", "izes", "ates", "ifies", "yses")) and following not in words.auxiliaries
    if not is_ambiguous(token):
        return True
    if following in words.auxiliaries or following in words.prepositions or not following:
        return False
    if verb_form(following) == "base" and not is_ambiguous(following):
        return False
    after = tokens[index + 2] if index + 2 < len(tokens) else ""
    return after not in words.auxiliaries and verb_form(following) != "past"


def _with_coordination(tokens: list[str], first: NounPhrase) -> NounPhrase:
    """Joins "the premium, the deductible and the broker's fee" to one phrase with three heads."""
    heads, end = [first.head], first.end
    while end < len(tokens) and len(heads) < 8:
        index = end
        while index < len(tokens) and tokens[index] in {",", "and", "&"}:
            index += 1
        if index == end or index >= len(tokens):
            break
        further = _collect(tokens, index, _ends_object)
        if (
            not further.head
            or verb_form(further.words[0]) in {"base", "past", "third"}
            and further.determiner == ""
            and not is_ambiguous(further.words[0])
        ):
            break
        heads.append(further.head)
        end = further.end
    if len(heads) == 1:
        return first
    return NounPhrase(
        first.head, first.words, first.determiner, first.count, first.plural, tuple(heads), first.of, False, "", end
    )


def _with_of(tokens: list[str], phrase: NounPhrase) -> NounPhrase:
    if phrase.end >= len(tokens) or tokens[phrase.end] != "of":
        return phrase
    inner = _collect(tokens, phrase.end + 1, _ends_object)
    return NounPhrase(
        phrase.head, phrase.words, phrase.determiner, phrase.count, phrase.plural, phrase.coordinated,
        inner.head, inner.plural, inner.determiner, inner.end,
    )  # fmt: skip
