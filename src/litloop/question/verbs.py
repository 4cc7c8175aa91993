"""What a verb shows of a sentence: a question asked with yes or no, a request, a statement."""

from __future__ import annotations

from litloop.question.lexicon import lexicon
from litloop.question.morphology import is_ambiguous, is_plural, verb_form
from litloop.question.tokens import at

_NO_OBJECT = frozenset({"", "of", "and", "or", ","})


def subject_follows(tokens: list[str], index: int) -> bool:
    """After when or where: an auxiliary and its subject, so the word opens a question and no relative clause."""
    return at(tokens, index) in lexicon().auxiliaries and at(tokens, index + 1) not in lexicon().prepositions


def opens_yes_no(tokens: list[str], index: int, *, after_break: bool = False) -> bool:
    """Does the …, is there …, can a tenant …: an auxiliary in front of its subject.

    Inside a sentence the subject must show itself by a determiner or a pronoun; after a comma any noun will do.
    """
    words = lexicon()
    token, following = at(tokens, index), at(tokens, index + 1)
    if token not in words.auxiliaries or token == "need" or not following:  # noqa: S105
        return False
    if token == "may" and (following[0].isdecimal() or following in {"of", "and", "to"}):  # noqa: S105  the month
        return False
    if index == 0:
        return following not in words.prepositions and (following[0].isalnum() or following in {"(", '"'})
    if token not in words.grammar["modals"] and not token.endswith("n't"):
        return False
    if after_break:
        no_subject = following in words.prepositions or following in words.adverbs
        return not no_subject and verb_form(following) != "past"
    return following in words.determiners or following in words.pronouns


def starts_request(tokens: list[str], index: int) -> bool:
    """List the …, give me …, find studies: a verb that asks, not the first noun of a phrase."""
    words = lexicon()
    verb, following = at(tokens, index), at(tokens, index + 1)
    if verb not in words.imperatives:
        return index == 0 and _unlisted_request(verb, following)
    if following in _NO_OBJECT or following in words.be:
        return False
    if verb == "contrast":
        return following not in words.grammar["contrast_nouns"] and bool({"and", "with", "to"} & set(tokens))
    if verb in words.grammar["always_requests"] or following in words.grammar["particles"]:
        return True
    if following in words.determiners or following in words.pronouns:
        return True
    if verb in {"list", "name", "need", "want"}:
        return any(is_plural(token) for token in tokens[index + 1 : index + 5]) and verb_form(following) != "base"
    return following[0].isdecimal() or is_plural(following)


def _unlisted_request(verb: str, following: str) -> bool:
    """Flag any …, map each …, swap the …: no noun is followed by an article, so the first word is a verb."""
    words = lexicon()
    if following not in words.grammar["object_openers"] or not verb.isalpha() or is_plural(verb):
        return False
    closed = words.prepositions | words.auxiliaries | words.conjunctions | words.relatives | words.pronouns
    closed = closed | words.determiners | words.adverbs | words.wh
    return verb not in closed and not verb.endswith(("ed", "ing", "ly"))


def has_finite_verb(tokens: list[str], subject_end: int) -> bool:
    """Whether a sentence without a question word is a statement; `subject_end` is the token after its first noun."""
    words = lexicon()
    begins_with_pronoun = tokens[0] in words.pronouns
    if any(_is_verb_of_claim(tokens, index) for index in range(1, subject_end)):
        return True
    for index in range(max(subject_end, 1), len(tokens)):
        token = tokens[index]
        if token in words.relatives or token in words.prepositions or not token[0].isalnum():
            return begins_with_pronoun and index > 1
        if _is_verb_of_claim(tokens, index):
            return True
        if token == "may":  # noqa: S105  the verb, not the month
            return not at(tokens, index + 1)[:1].isdecimal()
        if token in words.auxiliaries and token not in {"need", "might"}:
            return True
    return begins_with_pronoun and len(tokens) > 1


def _is_verb_of_claim(tokens: list[str], index: int) -> bool:
    """Statins decrease cholesterol; the enzyme inhibits growth: a verb that cannot be taken for a noun here."""
    token, subject = tokens[index], tokens[index - 1]
    if at(tokens, index + 1) in {"", "of"}:
        return False
    if verb_form(token) == "third":
        return not is_ambiguous(token) and not is_plural(subject)
    claims = token in lexicon().grammar["claims"] or not is_ambiguous(token)
    return verb_form(token) == "base" and is_plural(subject) and claims
