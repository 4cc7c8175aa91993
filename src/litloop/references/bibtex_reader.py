"""BibTeX and BibLaTeX, also as Zotero, Mendeley and JabRef write them.

The file is cut into entries here and each is parsed by pybtex on its own, so that one unbalanced brace does not
swallow the rest of the file. LaTeX becomes plain characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from litloop.core.identifiers import normal_arxiv
from litloop.references import latex_text
from litloop.references.entries import ReferenceEntry, Row
from litloop.references.notes import ids_in
from litloop.text.retractions import notes_say_retracted

PARSER = "bibtex/1"
MEDIA_TYPE = "application/x-bibtex"

_OPENING = re.compile(r"@[ \t]*([A-Za-z]+)[ \t\n]*([{(])")
_SIGN = re.compile(r"\\[^{}]|[{}()\"]|\n@[ \t]*[A-Za-z]+[ \t]*[{(]", re.DOTALL)
_KEY = re.compile(r"@[ \t]*[A-Za-z]+[ \t\n]*[{(]\s*([^,\s{}]*)")
_NO_ENTRY = frozenset({"comment", "preamble", "string"})
_VENUES = ("journal", "journaltitle", "booktitle", "eventtitle", "series", "howpublished", "publisher", "school",
           "institution", "organization")  # fmt: skip
_NOTES = ("note", "annote", "annotation", "addendum", "comment", "pubstate", "keywords")
_VERBATIM = frozenset({"url", "doi", "eprint", "file", "pmid", "pmcid"})  # never typeset: "~" and "--" are themselves
_KEYWORD_MARKS = re.compile(r"[;,\n]")


def entries(text: str) -> Iterator[ReferenceEntry]:
    macros: list[str] = []
    found: list[tuple[str, str, Any, str | None]] = []  # name, key, what pybtex gave, fault
    repeated: dict[int, tuple[str, ...]] = {}  # fields given more than once, by the place in `found`
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
            entry, again = _parsed("\n".join([*macros, raw]))
            repeated[len(found)] = again
            found.append((name, key, entry, None))
        except Exception as error:  # pybtex raises its own errors, and others on odd input
            found.append((name, key, None, f"is not valid BibTeX ({_first_line(error)})."))
    fields_of = {key.lower(): _fields(entry) for _, key, entry, fault in found if not fault}
    for at, (name, key, entry, fault) in enumerate(found):
        if fault:
            yield ReferenceEntry(name, fault=fault)
            continue
        notes = tuple(f"gives {field} more than once: the first one is kept." for field in repeated[at])
        yield ReferenceEntry(name, _row(key, entry, _inheriting(entry, fields_of)), notes=notes)


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


def _parsed(raw: str) -> tuple[Any, tuple[str, ...]]:
    """The entry, and the names of the fields that it gives more than once with different values."""
    from pybtex.database import BibliographyDataError
    from pybtex.database.input.bibtex import Parser

    repeated: list[str] = []

    class FirstOfEach(Parser):  # type: ignore[misc, no-any-unimported, unused-ignore]
        """Of a repeated field the first that says something is kept: pybtex would give the entry up."""

        def process_entry(self, entry_type: str, key: str, fields: list[tuple[str, list[str]]]) -> None:
            kept: dict[str, tuple[str, list[str]]] = {}
            for name, parts in fields:
                before = "".join(kept[name.lower()][1]).split() if name.lower() in kept else []
                if not before:
                    kept[name.lower()] = (name, parts)
                elif (now := "".join(parts).split()) and now != before and name.lower() not in repeated:
                    repeated.append(name.lower())
            super().process_entry(entry_type, key, list(kept.values()))

    entries = FirstOfEach().parse_string(raw).entries
    if not entries:
        raise BibliographyDataError("nothing in it")
    return next(iter(entries.values())), tuple(repeated)


def _row(key: str, entry: Any, fields: Mapping[str, str]) -> Row:
    told = {
        name: latex_text.verbatim(value) if name in _VERBATIM else latex_text.plain(value)
        for name, value in fields.items()
    }
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
        "keywords": [word.strip() for word in _KEYWORD_MARKS.split(told.get("keywords", "")) if word.strip()],
        "type": entry.type.lower(),
        "retracted": any(notes_say_retracted(told.get(name, "")) for name in _NOTES),
        **ids_in(latex_text.verbatim(fields.get("note", ""))),
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
    name = latex_text.plain(" ".join(" ".join(part) for part in names))
    return "" if name.lower() == "others" else name


def _key(raw: str) -> str:
    match = _KEY.match(raw)
    return match.group(1) if match else ""


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:120].rstrip(".")
