"""Texts that break what was written for ordinary ones: long runs of one class, nesting without end, crowds of one kind.

`hostile_texts()` names them; each is a function from a length in characters to a text of exactly that length, the
same one every time. What is found in 10 KB of one is found a hundredfold in 1 MB, so the time that a reader takes
for two lengths tells how it grows.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from itertools import count

HostileText = Callable[[int], str]

# One unit over and over.
_UNITS = {
    # runs of one class
    "letters": "a", "capitals": "A", "accented letters": "é", "digits": "7", "superscript digits": "²",
    "arabic digits": "٣", "exclamation marks": "!", "question marks": "?", "full stops": ".", "ellipses": "…",
    "commas": ",", "semicolons": ";", "colons": ":", "hyphens": "-", "dashes": "–", "minus signs": "−",
    "underscores": "_", "asterisks": "*", "number signs": "#", "equals signs": "=", "tildes": "~", "pipes": "|",
    "slashes": "/", "backslashes": "\\", "at signs": "@", "percent signs": "%", "dollars": "$", "ampersands": "&",
    "plus signs": "+", "carets": "^", "bullets": "•", "middle dots": "·",
    # white space and what cannot be seen
    "spaces": " ", "tabs": "\t", "newlines": "\n", "carriage returns": "\r", "line ends of Windows": "\r\n",
    "spaced newlines": " \n", "form feeds": "\f", "no-break spaces": "\u00a0", "soft hyphens": "\u00ad",
    "zero-width spaces": "\u200b", "joiners": "\u200d", "controls": "\x01", "soft-hyphened letters": "a\u00ad",
    "letters spaced apart": "a ", "letters far apart": "a" + " " * 40, "letters on lines": "a\n",
    # combining marks
    "combining marks": "\u0301", "marks of two classes": "\u0301\u0323", "accents on letters": "a\u0301",
    "conjoining vowels": "\u1161", "voicing marks": "\u3099", "indic vowel signs": "\u09be", "arabic marks": "\u064b",
    "isolated arabic marks": "\ufe70",
    # quotation marks
    "apostrophes": "'", "quotation marks": '"', "opening quotes": "“", "closing quotes": "”", "low quotes": "„",
    "guillemets": "«»", "backticks": "`", "fences": "```\n", "quoted letters": '"a" ', "unclosed quoted words": ' "a',
    "possessives": "a's ",
    # brackets
    "opening parentheses": "(", "closing parentheses": ")", "opening brackets": "[", "closing brackets": "]",
    "opening braces": "{", "closing braces": "}", "less-than signs": "<", "greater-than signs": ">",
    "unclosed pairs": "([{<", "empty parentheses": "()", "bracketed letters": "(a) ", "unclosed words": "(a ",
    # words
    "one word": "word ", "one sentence": "The tumour was small. ", "unended clauses": "the tumour was small and ",
    "hyphenated words": "a-", "divided words": "divi-\n", "apostrophized letters": "a'", "dotted letters": "a.",
    "dotted capitals": "A.", "abbreviations": "e.g. ", "initials": "A. ", "negations": "not ", "no and not": "no a not ",
    "conjunctions": "and ", "comparisons": "more a than b, ", "acronyms": "Large Cell (LC) ", "capitalized words": "Aa ",
    "camel case": "aA", "glued sentences": "ab.Ab", "open acronyms": "(AB", "questions": "what is a? ",
    "bare question words": "what ", "clauses between": "between a and ", "named sources": "in the a b c ",
    # numbers
    "numbers": "7 ", "decimals": "1.", "decimal numbers": "0.5 ", "thousands": "1,000,", "thousand numbers": "1,000 ",
    "ranges": "1-", "range numbers": "1–2, ", "ratios": "1:", "fractions": "1/2 ", "percentages": "12 % ",
    "units": "5 mg/kg/day ", "glued units": "5mg", "powers": "10¹⁰ ", "exponents": "1e5", "number words": "one ",
    "large number words": "one hundred million ", "hyphened number words": "twenty-", "p values": "p < 0.05, ",
    "intervals": "95% CI 1.2-3.4; ", "counts": "n = 34, ", "of counts": "3 of 12 ", "roman numerals": "iv ",
    "dates": "2020-01-01 ", "written dates": "12 January 2020, ", "years": "2020 ", "currencies": "$5 ",
    "comparators": "< ", "times": "12:30:", "signed numbers": "+1-", "letters with digits": "a1",
    # references
    "numbered references": "[1] ", "unclosed references": "[1,", "reference lists": "1,", "raised references": "a¹,",
    "figures": "Fig. 1 ", "citations": "(Smith et al., 2020) ", "unclosed citations": "(Smith et al., ",
    "authors": "Smith J, ", "authors with and": "Smith, John and ", "et al.": "et al. ", "emails": "a@b.co ",
    "unended emails": "a@b.", "DOIs": "10.1234/abc ", "one DOI": "10.1234/", "addresses": "https://e.org/a?b=c ",
    "address starts": "https://", "PMIDs": "PMID: 1234 ", "arXiv ids": "arXiv:2001.00001 ", "file names": "a b.pdf ",
    "sections": "section 4.2 ", "pages": "pages 1-2 ", "retractions": "RETRACTED: ", "editions": "Version 2 ",
    # tables and Markdown
    "table rows": "| a | b |\n", "table rules": "|---", "tabbed rows": "a\tb\n", "one endless row": "a | ",
    "headings": "# a\n", "setext headings": "a\n===\n", "list items": "- a\n", "nested quotes": "> ", "nested lists": "* ",
    "emphasis": "**a *b ", "links": "[a](", "images": "![a ", "footnotes": "[^1]: x\n", "numbered items": "1. a\n",
    "indented items": "  (a) b\n", "numbered lines": "1 a\n", "front matter": "---\na: b\n", "rules": "---\n",
    # HTML and XML
    "unclosed tags": "<b>", "tag starts": "<a", "closing tags": "</p>", "comments": "<!--", "closed comments": "<!---->",
    "scripts": "<script>", "raised tags": "<sup>1</sup>", "attributes": '<a b="', "attribute lists": " a=b", "CDATA": "<![CDATA[",
    "instructions": "<?a ", "doctypes": "<!DOCTYPE a [", "entities": "&amp;", "unended entities": "&#", "numeric entities": "&#x41;",
    "cells": "<td>a", "nested tables": "<table><tr><td>", "divisions": "<div>", "hidden divisions": "<div hidden>",
    # LaTeX and reference files
    "commands": "\\textbf{", "accent commands": "\\'{e}", "nested accents": "\\'{", "escaped signs": "\\%", "formulas": "$x^2$ ",
    "unclosed formulas": "$x^2 ", "spaced dollars": "$ a", "command names": "\\alpha", "url commands": "\\url{",
    "BibTeX entries": "@article{a,\n title={b}}\n", "unclosed BibTeX": "@article{a,\n title={b\n", "BibTeX fields": ' a = "b",\n',
    "BibTeX starts": "@a{", "RIS records": "TY  - JOUR\nTI  - a\nER  - \n", "RIS authors": "AU  - Smith, J\n",
    "unended RIS": "TY  - JOUR\n", "MEDLINE records": "PMID- 1\nTI  - a\n\n", "MEDLINE continuations": "      a\n",
    # JSON and replies of models
    "arrays": "[1,", "objects": '{"a":', "closed objects": '{"a":1}', "JSON strings": '"a",', "escapes": '"\\u0041', "lines of JSON": '{"a":1}\n',
    "thoughts": "<think>", "ended thoughts": "</think>", "fenced JSON": "```json\n{", "literals": "true,",
    # scripts
    "Chinese": "中", "Chinese sentences": "肿瘤很小。", "Japanese": "かな", "Korean": "한글", "Thai": "ก", "Hebrew": "א ",
    "Arabic": "ا", "Devanagari": "क्ष", "emoji": "👩\u200d👩", "full-width letters": "Ａ", "ligatures": "ﬁ", "lone surrogates": "\ud800",
    "direction marks": "\u202e", "circled digits": "①", "Greek": "α", "private use": "\uf0b7", "ideographic spaces": "中\u3000",
}  # fmt: skip

_WORDS = ("patients", "tumour", "amyloid", "survival", "not", "increased", "decreased", "uptake", "of", "in", "the", "with",
          "and", "IL-6", "TP53", "placebo", "higher", "lower", "than", "controls")  # fmt: skip


def hostile_texts() -> Mapping[str, HostileText]:
    """Every hostile text by its name, which says what it is made of."""
    return {**{name: _repeated(unit) for name, unit in _UNITS.items()}, **_SHAPES}


def _repeated(unit: str) -> HostileText:
    return lambda length: (unit * (length // len(unit) + 1))[:length]


def _joined(pieces: Callable[[random.Random], Iterator[str]]) -> HostileText:
    """A text of pieces, no two alike: what counts distinct things meets many of them."""

    def text(length: int) -> str:
        found, total = [], 0
        for piece in pieces(random.Random(7)):
            found.append(piece)
            total += len(piece)
            if total >= length:
                break
        return "".join(found)[:length]

    return text


def _drawn(letters: str) -> HostileText:
    return lambda length: "".join(random.Random(7).choices(letters, k=length))


def _nested(opening: str, closing: str) -> HostileText:
    def text(length: int) -> str:
        depth = length // (len(opening) + len(closing))
        return (opening * depth + closing * depth).ljust(length)

    return text


def _between(first: str, unit: str, last: str) -> HostileText:
    """A run with a beginning that invites a pattern and an end that refuses it."""

    def text(length: int) -> str:
        room = length - len(first) - len(last)
        return first + (unit * (room // len(unit) + 1))[:room] + last

    return text


def _distinct_words(rng: random.Random) -> Iterator[str]:
    while True:
        yield "".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(3, 12))) + " "


def _distinct_sentences(rng: random.Random) -> Iterator[str]:
    while True:
        yield f"Of {rng.randint(2, 999)} {rng.choice(_WORDS)}, {rng.random():.2f} mg {' '.join(rng.choices(_WORDS, k=8))}. "


def _one_sentence_of_figures(rng: random.Random) -> Iterator[str]:
    while True:
        yield f"{rng.choice(_WORDS)} in {rng.randint(2, 999)} of {rng.choice(_WORDS)} ({rng.random():.2f} %), "


def _distinct_authors(rng: random.Random) -> Iterator[str]:
    while True:
        yield f"{''.join(rng.choices('abcdefgh', k=6)).title()}, {rng.choice('ABCDEFG')}. and "


def _distinct_acronyms(rng: random.Random) -> Iterator[str]:
    while True:
        letters = rng.choices("abcdefghijklmnopqrstuvwxyz", k=4)
        yield f"{' '.join(letter + 'en' for letter in letters)} ({''.join(letters).upper()}) "


def _distinct_notes(_: random.Random) -> Iterator[str]:
    for number in count(1000):
        yield f"a[{number}] "


def _table(rng: random.Random) -> Iterator[str]:
    yield "| a | b |\n|---|---|\n"
    while True:
        yield f"| {rng.choice(_WORDS)} | {rng.random():.3f} |\n"


def _distinct_keys(_: random.Random) -> Iterator[str]:
    yield "{"
    for number in count(1):
        yield f'"k{number}": {number}, '


def _distinct_entries(_: random.Random) -> Iterator[str]:
    for number in count(1):
        yield f"@article{{k{number},\n  title = {{Title {number}}},\n  author = {{A, B and C, D}}\n}}\n"


def _hyphenated_lines(rng: random.Random) -> Iterator[str]:
    while True:
        yield "".join(rng.choices("abcdefgh", k=9)) + "-\n" + "".join(rng.choices("abcdefgh", k=5)) + " "


_SHAPES: dict[str, HostileText] = {
    "DNA": _drawn("ACGT"),
    "base64": _drawn("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"),
    "hexadecimal": _drawn("0123456789abcdef"),
    "random digits": _drawn("0123456789"),
    "random Chinese": _drawn("".join(map(chr, range(0x4E00, 0x4F00)))),
    "random marks": _drawn("\u0301\u0323\u0327\u0345\u0334\u05b0\u064b\u093c"),
    "random ASCII": _drawn("".join(map(chr, range(32, 127)))),
    "random punctuation": _drawn(".,;:!?()[]{}<>\"'`-/\\|*_#$%&@^~+= \n"),
    "random brackets": _drawn("()[]{}<>"),
    "random quotes": _drawn("\"'“”„‘’«»` a"),
    "nested parentheses": _nested("(", ")"),
    "nested brackets": _nested("[", "]"),
    "nested braces": _nested("{", "}"),
    "nested objects": _nested('{"a":', "}"),
    "nested arrays": _nested("[", "]"),
    "nested tags": _nested("<b>", "</b>"),
    "nested divisions": _nested("<div>", "</div>"),
    "nested commands": _nested("\\emph{", "}"),
    "nested BibTeX": _between("@article{a, title = {", "{", "}"),
    "a quoted run": _between('"', "a", '"'),
    "a quoted run of quotes": _between('"a', '"', "a"),
    "a divided run": _between("", "a", "-\nb"),
    "a run of marks on a letter": _between("a", "\u0301\u0323", ""),
    "a DOI without end": _between("10.1234/", "a", ""),
    "an address without end": _between("https://example.org/", "a/", ""),
    "an email without end": _between("a@", "b.", ""),
    "a number without end": _between("0.", "1", " mg"),
    "a field without end": _between("@article{a,\n title = {", "b ", ""),
    "a quoted field without end": _between('@article{a,\n title = "', "b ", ""),
    "an attribute without end": _between('<a href="', "b", ""),
    "a formula without end": _between("$", "x^2 ", ""),
    "a string without end": _between('{"a": "', "b ", ""),
    "a comment without end": _between("a <!-- ", "b ", ""),
    "spaces before an end": _between("a", " ", "b"),
    "newlines before an end": _between("a", "\n", "b"),
    "no sentence end": _between("The ", "tumour and ", "."),
    "a title in capitals": _between("", "TUMOUR AND ", "."),
    "distinct words": _joined(_distinct_words),
    "distinct sentences": _joined(_distinct_sentences),
    "one sentence of figures": _joined(_one_sentence_of_figures),
    "distinct authors": _joined(_distinct_authors),
    "distinct acronyms": _joined(_distinct_acronyms),
    "distinct references": _joined(_distinct_notes),
    "a table": _joined(_table),
    "distinct keys": _joined(_distinct_keys),
    "distinct entries": _joined(_distinct_entries),
    "hyphenated lines": _joined(_hyphenated_lines),
}
