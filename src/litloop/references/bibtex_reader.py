"""BibTeX and BibLaTeX, also as Zotero, Mendeley and JabRef write them.

The file is cut into entries here and each is parsed by pybtex on its own, so that one unbalanced brace does not
swallow the rest of the file. LaTeX becomes plain characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from litloop.core.identifiers import normal_arxiv
from litloop.references.entries import ReferenceEntry, Row
from litloop.references.notes import ids_in
from litloop.text.retractions import notes_say_retracted

PARSER = "bibtex/1"
MEDIA_TYPE = "application/x-bibtex"

_OPENING = re.compile(r"@[ \t]*([A-Za-z]+)[ \t\n]*([{(])")
_SIGN = re.compile(r"\\[^{}]|[{}()\"]|\n@[ \t]*[A-Za-z]+[ \t]*[{(]", re.DOTALL)
# Commands that only change the face of what they enclose.
_FACES = re.compile(r"\\(?:text(?:it|bf|rm|sc|sf|tt|sl|up|normal|superscript|subscript)|emph|mbox|"
                    r"math(?:rm|it|bf|sf|cal)|url|path|enquote|ensuremath)\s*(?=\{)")  # fmt: skip
_SIGNS = {"textbackslash": "\\", "textbraceleft": "{", "textbraceright": "}", "textasciitilde": "~",
          "textasciicircum": "^", **dict(zip("{}$&%#_", "{}$&%#_", strict=True))}  # fmt: skip
_ESCAPED = re.compile(
    r"\\(textbackslash|textbraceleft|textbraceright|textasciitilde|textasciicircum|[{}$&%#_])(?:\{\})?"
)
_ASIDE = {name: chr(0xE000 + at) for at, name in enumerate(_SIGNS)}  # private characters, which no text holds
_BACK = {ord(_ASIDE[name]): sign for name, sign in _SIGNS.items()}
_KEY = re.compile(r"@[ \t]*[A-Za-z]+[ \t\n]*[{(]\s*([^,\s{}]*)")
_NO_ENTRY = frozenset({"comment", "preamble", "string"})
_VENUES = ("journal", "journaltitle", "booktitle", "eventtitle", "series", "howpublished", "publisher", "school",
           "institution", "organization")  # fmt: skip
_NOTES = ("note", "annote", "annotation", "addendum", "comment", "pubstate", "keywords")
_KEYWORD_MARKS = re.compile(r"\s*[;,]\s*|\n+")


def entries(text: str) -> Iterator[ReferenceEntry]:
    macros: list[str] = []
    found: list[tuple[str, str, Any, str | None]] = []  # name, key, what pybtex gave, fault
    for kind, raw, closed in _stretches(text):
        if kind == "string" and closed:
            macros.append(raw)
        if kind in _NO_ENTRY:
            continue
        key = _key(raw)
        name = f"entry {key or raw[:30].splitlines()[0]}"
        if not closed:
            found.append((name, key, None, "is not closed: a brace is missing."))
            continue
        try:
            found.append((name, key, _parsed("\n".join([*macros, raw])), None))
        except Exception as error:  # pybtex raises its own errors, and others on odd input
            found.append((name, key, None, f"is not valid BibTeX ({_first_line(error)})."))
    fields_of = {key.lower(): _fields(entry) for _, key, entry, fault in found if not fault}
    for name, key, entry, fault in found:
        yield (
            ReferenceEntry(name, fault=fault)
            if fault
            else ReferenceEntry(name, _row(key, entry, _inheriting(entry, fields_of)))
        )


def _fields(entry: Any) -> dict[str, str]:
    return {name.lower(): value for name, value in entry.fields.items()}


def _inheriting(entry: Any, fields_of: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """The entry's fields, and those of the volume it refers to: its title is the volume's name."""
    own = _fields(entry)
    volume = dict(fields_of.get(own.get("crossref", "").lower(), {}))
    title = volume.pop("title", None)
    for about_the_volume in ("doi", "abstract", "url", "keywords", "note", "subtitle"):
        volume.pop(about_the_volume, None)
    return {**({"booktitle": title} if title else {}), **volume, **own}


def _stretches(text: str) -> Iterator[tuple[str, str, bool]]:
    """(kind, text, whether it is closed) of each @entry. An entry that begins a line ends an unclosed one before it."""
    at = 0
    while match := _OPENING.search(text, at):
        end, closed = _end(text, match.end(), match.group(2))
        yield match.group(1).lower(), text[match.start() : end], closed
        at = end


def _end(text: str, at: int, opening: str) -> tuple[int, bool]:
    """Where the entry ends, and whether by its own bracket. Brackets inside braces or quotes do not count."""
    depth = 1 if opening == "{" else 0
    quoted = False
    for match in _SIGN.finditer(text, at):
        sign = match.group()
        if sign[0] == "\n":
            return match.start() + 1, False
        if sign == '"' and opening == "(" and depth == 0:
            quoted = not quoted
        depth += (sign == "{") - (sign == "}")
        if (sign == "}" and opening == "{" and depth == 0) or (
            sign == ")" and opening == "(" and not (depth or quoted)
        ):
            return match.end(), True
    return len(text), False


def _parsed(raw: str) -> Any:
    from pybtex.database import BibliographyDataError
    from pybtex.database.input.bibtex import Parser

    entries = Parser().parse_string(raw).entries
    if not entries:
        raise BibliographyDataError("nothing in it")
    return next(iter(entries.values()))


def _row(key: str, entry: Any, fields: Mapping[str, str]) -> Row:
    told = {name: _plain(value) for name, value in fields.items()}
    url = told.get("url", "")
    return {
        "id": key,
        "citation_key": key,
        "title": ": ".join(filter(None, (told.get("title"), told.get("subtitle")))),
        "abstract": told.get("abstract", ""),
        "authors": [_person(person) for person in entry.persons.get("author", entry.persons.get("editor", []))],
        "year": told.get("year") or told.get("date", "")[:4],
        "venue": next((told[name] for name in _VENUES if told.get(name)), ""),
        "url": url if url.startswith(("http://", "https://")) else "",
        "keywords": [word for word in _KEYWORD_MARKS.split(told.get("keywords", "")) if word],
        "type": entry.type.lower(),
        "retracted": any(notes_say_retracted(told.get(name, "")) for name in _NOTES),
        **ids_in(told.get("note", "")),
        **{kind: told[kind] for kind in ("doi", "pmid", "pmcid") if told.get(kind)},
        **_eprint(told),
    }  # fmt: skip


def _eprint(told: Mapping[str, str]) -> dict[str, str]:
    archive = (told.get("archiveprefix") or told.get("eprinttype") or "").lower()
    eprint = told.get("eprint", "")
    if archive == "pubmed":
        return {"pmid": eprint}
    arxiv = normal_arxiv(eprint) if archive in ("", "arxiv") else None
    arxiv = arxiv or normal_arxiv(told.get("url", "")) or normal_arxiv(told.get("journal", "").removesuffix("preprint"))
    return {"arxiv": arxiv} if arxiv else {}


def _person(person: Any) -> str:
    names = (person.first_names, person.middle_names, person.prelast_names, person.last_names, person.lineage_names)
    name = _plain(" ".join(" ".join(part) for part in names))
    return "" if name.lower() == "others" else name


def _plain(value: str) -> str:
    """Plain characters in place of LaTeX. What cannot be decoded keeps its text and loses its braces."""
    if not any(sign in value for sign in "\\{}$~-"):
        return " ".join(value.split())
    from pybtex.richtext import Text

    # Signs that were escaped to be signs step aside: the decoder would take some of them for markup after all.
    value = _ESCAPED.sub(lambda match: _ASIDE[match.group(1)], _FACES.sub("", value))
    try:
        plain = str(Text.from_latex(value))
    except Exception:  # the decoder fails on macros it half knows
        plain = value.replace("{", "").replace("}", "")
    return " ".join(plain.replace("\u00a0", " ").replace("$", "").translate(_BACK).split())


def _key(raw: str) -> str:
    match = _KEY.match(raw)
    return match.group(1) if match else ""


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:120].rstrip(".")
