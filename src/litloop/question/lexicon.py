"""The parser's words, read once from `lexicon.toml`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from litloop.question.tables import read_table

Words = frozenset[str]


@dataclass(frozen=True, slots=True)
class Lexicon:
    determiners: Words
    prepositions: Words
    conjunctions: Words
    relatives: Words
    auxiliaries: Words
    be: Words
    pronouns: Words
    adverbs: Words
    wh: Words
    imperatives: dict[str, str]  # verb -> class (explain, list, show, …)
    plain_verbs: Words
    ambiguous_verbs: Words
    irregular_past: Words
    subject_what: Words
    with_preposition: Words  # "results:from"
    collective: Words
    plurals: Words
    singular_s: Words
    one_value: Words
    noun_adjuncts: Words
    head_classes: dict[str, frozenset[str]]  # noun -> the forms of answer it names
    types: dict[str, Words]  # type of value -> nouns, in the singular, that name such a value
    grammar: dict[str, Words]  # small sets that the readers of word order use
    general: Words
    scaffold: Words
    known: Words  # every word of the file: never a misspelling

    @property
    def verbs(self) -> Words:
        return self.plain_verbs | self.ambiguous_verbs


@cache
def lexicon() -> Lexicon:
    table: dict[str, dict[str, str]] = read_table("lexicon.toml")
    words = {
        (section, key): frozenset(value.split()) for section, lists in table.items() for key, value in lists.items()
    }
    classes: dict[str, set[str]] = {}
    for (section, key), members in words.items():
        if section == "heads":
            for noun in members:
                classes.setdefault(noun, set()).add(key)
    closed = {key: members for (section, key), members in words.items() if section == "closed"}
    return Lexicon(
        determiners=closed["determiners"],
        prepositions=closed["prepositions"],
        conjunctions=closed["conjunctions"],
        relatives=closed["relatives"],
        auxiliaries=closed["auxiliaries"],
        be=closed["be"],
        pronouns=closed["pronouns"],
        adverbs=closed["adverbs"],
        wh=closed["wh"],
        imperatives={
            verb: key
            for (section, key), members in words.items()
            if section == "imperatives"
            for verb in sorted(members)
        },
        plain_verbs=words["verbs", "plain"] - words["verbs", "ambiguous"],
        ambiguous_verbs=words["verbs", "ambiguous"],
        irregular_past=words["verbs", "irregular_past"],
        subject_what=words["verbs", "subject_what"],
        with_preposition=words["verbs", "with_preposition"],
        collective=words["verbs", "collective"],
        plurals=words["plurals", "irregular"],
        singular_s=words["plurals", "singular_s"],
        one_value=words["plurals", "one_value"],
        noun_adjuncts=words["plurals", "noun_adjuncts"],
        head_classes={noun: frozenset(keys) for noun, keys in classes.items()},
        types={key: members for (section, key), members in words.items() if section == "types"},
        grammar={key: members for (section, key), members in words.items() if section == "grammar"},
        general=words["general", "words"],
        scaffold=words["function_words", "scaffold"],
        known=frozenset().union(*words.values()),
    )
