"""What can open a question: an auxiliary with its subject, or the verb of a request."""

from __future__ import annotations

from litloop.question.lexicon import lexicon
from litloop.question.morphology import is_plural, verb_form

# Verbs that open a request whatever follows; the others are nouns as often ("list price", "report deadline").
_ALWAYS = frozenset(
    "give find identify provide tell explain describe compare summarise summarize enumerate tabulate determine calculate "
    "compute retrieve extract specify clarify discuss elaborate itemise itemize confirm verify evaluate assess compile "
    "differentiate distinguish juxtapose interpret illustrate seek synthesise synthesize diagnose gather prepare generate "
    "produce create make show put walk arrange organise organize recap get fetch remind".split()
)
_CONTRAST_NOUNS = frozenset(
    "agent agents media medium ratio dye nephropathy allergy sensitivity ct enhancement material".split()
)
_PARTICLES = frozenset(
    "me us out up down all any every each both for in by through together what which who how why when where whether between".split()
)
_MODALS = frozenset(
    "can could will would shall should may might must do does did is are was were has have had am".split()
)


def subject_follows(tokens: list[str], index: int) -> bool:
    """After when, where, who, which: an auxiliary, so the word opens a question and not a relative clause."""
    if index >= len(tokens):
        return False
    words = lexicon()
    token = tokens[index]
    if token not in words.auxiliaries:
        return False
    previous = tokens[index - 1]
    if previous in {"who", "which"}:
        return True
    following = tokens[index + 1] if index + 1 < len(tokens) else ""
    return following in words.determiners or following in words.pronouns or following not in words.prepositions


def opens_yes_no(tokens: list[str], index: int, *, after_break: bool = False) -> bool:
    """Does the …, is there …, can a tenant …: an auxiliary in front of its subject."""
    words = lexicon()
    if index >= len(tokens) or index + 1 >= len(tokens):
        return False
    token, following = tokens[index], tokens[index + 1]
    if token not in words.auxiliaries or token in {"need", "'s", "'re"}:
        return False
    if token == "may" and (following[0].isdigit() or following in {"of", "and", "to"}):
        return False
    if index and token not in _MODALS and not token.endswith("n't"):
        return False
    if after_break:
        return (
            following not in words.prepositions
            and following not in words.adverbs
            and not verb_form(following) == "past"
        )
    if index:
        return following in words.determiners or following in words.pronouns
    return following not in words.prepositions and (following[0].isalnum() or following in {"(", '"'})


def starts_request(tokens: list[str], index: int) -> bool:
    """List the …, give me …, find studies: a verb that asks, not the first noun of a phrase."""
    words = lexicon()
    if index >= len(tokens):
        return False
    verb = tokens[index]
    following = tokens[index + 1] if index + 1 < len(tokens) else ""
    if verb not in words.imperatives:
        return index == 0 and _unlisted_request(tokens, verb, following)
    if not following:
        return False
    if following in words.be or following in {"of", "and", "or", ","}:
        return False
    if verb in _ALWAYS:
        return True
    if verb == "contrast":
        return following not in _CONTRAST_NOUNS and any(token in {"and", "with", "to"} for token in tokens)
    if following in words.determiners or following in words.pronouns or following in _PARTICLES:
        return True
    if verb in {"list", "name", "show", "need", "want"}:
        return any(is_plural(token) for token in tokens[index + 1 : index + 5]) and verb_form(following) != "base"
    return following[:1].isdigit() or is_plural(following)


_OBJECT_OPENERS = frozenset("the a an all any each every both these those this my our me us whether".split())


def _unlisted_request(tokens: list[str], verb: str, following: str) -> bool:
    """Flag any …, map each …, swap the …: no noun is followed by an article, so the first word is a verb."""
    words = lexicon()
    if following not in _OBJECT_OPENERS or not verb.isalpha() or is_plural(verb) or verb.endswith(("ed", "ing", "ly")):
        return False
    closed = (words.prepositions, words.auxiliaries, words.conjunctions, words.relatives, words.pronouns)
    return not any(verb in group for group in (*closed, words.determiners, words.adverbs, words.wh))
