"""Marks of retraction: what titles, notes and first lines say of a work that was taken back.

Publishers write the mark into the title ("RETRACTED ARTICLE: …", "… [Retracted]", "… (Retracted article. See vol. 15,
pg. 301)"), databases into notes, reference managers into both. A notice of retraction is not the work that it takes
back, and a work that speaks of retraction ("Retracted papers in oncology: a review", "Retraction of the tongue in
sleep") carries no mark. One place decides for every reader and every database.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

MarkKind = Literal["", "retracted", "notice"]

_LONGEST_TITLE = 2000  # characters of a title that are looked at
_LONGEST_NOTES = 20_000
_OPENING = 1200  # characters at the beginning of a text in which it may say that it was taken back
_LONGEST_BANNER = 60  # characters of a line that is nothing but a mark

# --- The words -------------------------------------------------------------------------------------------------

_WORK = (
    r"(?:(?:conference\s+)?(?:article|paper)|chapter|manuscript|publication|preprint|study|report|work|version|book|"
    r"thesis|letter|review)"
)
_TAKEN_BACK = (
    r"(?:retracted|withdrawn|retractad[oa]|retirado|retratad[oa]|r[ée]tract[ée]e?|zur(?:ü|ue)ckgezogen|ritirato|"
    r"отозвана?|ретрагирована?|已?撤稿|已?撤回|철회)"
)
_BY_WHOM = r"(?:\s+by\s+(?:the\s+)?(?:authors?|editors?|publisher|journal))?"
# "retracted", "retracted article", "this article has been retracted", "withdrawn by the authors"
_MARK = rf"(?:(?:this\s+)?{_WORK}\s+(?:(?:has\s+been|was|is)\s+)?)?{_TAKEN_BACK}(?:\s+{_WORK})?{_BY_WHOM}"
_CAPITALS = r"(?-i:RETRACTED|WITHDRAWN)(?: (?-i:ARTICLE|PAPER|CHAPTER|MANUSCRIPT))?"
_OPEN, _CLOSE = r"[\[(（【〔{<«*_~#]", r"[\])）】〕}>»*_~#]"

# --- Marks in titles -------------------------------------------------------------------------------------------

_FRONT = re.compile(
    rf"(?:{_OPEN}|\s)*{_MARK}\s*(?:{_CLOSE}+\s*[:：.–—-]*|[:：]|\s[–—-]\s|[–—](?=\S))\s*", re.IGNORECASE
)
_REMOVED = re.compile(r"\W*(?:(?:TEMPORARY )?REMOVAL|REMOVED|Removed)\s*:\s*")  # Elsevier's words
_FRONT_CAPITALS = re.compile(rf"\W*{_CAPITALS}\W*\s(?=\S)")
_REST = r"(?:[.:;,]?\s*(?:see|due|because|at|this|vol|in|on)\b[^\[\]]{0,300})?"  # "… See vol. 15, pg. 301, 2021"
_END_BRACKETS = re.compile(
    rf"\s?{_OPEN}{{1,20}}+\s?(?:{_MARK}{_REST}|retraction\s+in\b[^\[\]]{{0,300}}){_CLOSE}+[\s.]*\Z", re.IGNORECASE
)
_END_DASH = re.compile(rf"\s?[–—-]{{1,20}}+\s?(?:Retracted|Withdrawn|{_CAPITALS})(?:\s+{_WORK})?[\s.]*\Z")
_END_CAPITALS = re.compile(rf"[\s.:;,]{{1,20}}+{_CAPITALS}[\s.*_]*\Z")

# --- Notices ---------------------------------------------------------------------------------------------------

_WHOSE = r"(?:(?:(?:editor|publisher|author)(?:ial|s|['’]s|s['’])?|partial|full|article|paper)\s+){0,8}"
_ACT = r"(?:retraction|retracci[óo]n|r[ée]tractation|retrata[çc][ãa]o|撤稿)"
_EITHER = rf"(?:{_ACT}|withdrawal)"
_NOTICE_WORD = r"(?:notice|statement|announcement|note)"
_NAMED = rf"(?:{_NOTICE_WORD}s?\s+of\s+(?:the\s+)?{_EITHER}|{_EITHER}\s+{_NOTICE_WORD}s?)"
# "Notice of retraction", "Retraction note to: …", whatever follows
_NOTICE_NAMED = re.compile(rf"[\W_]*+{_WHOSE}{_NAMED}\b\s*(?:(?:to|of|on|for)\b)?[\s:：.–—-]*", re.IGNORECASE)
# "Retraction: …", "Retraction of: …", "Retraction of "…"", "Retraction—…", "Retraction for Smith et al., …"
_NOTICE_ACT = re.compile(
    rf"[\W_]*+{_WHOSE}{_ACT}\s*(?:\Z|{_CLOSE}|[:：.–—]|-\s|(?:(?:to|of|on|for)\s*)(?:the\s+(?:article|paper)\s*)?"
    rf"[:：\"“„«‘'—–]|(?:to|of|on|for)\s+(?:the\s+)?{_WORK}s?\b|(?:to|of|on|for)\s+(?=[^:]{{0,120}}\bet\s+al\b))\s*",
    re.IGNORECASE,
)
# Withdrawal is a condition too: as an act of a journal it stands before a title, which has a capital.
_NOTICE_WITHDRAWAL = re.compile(rf"[\W_]*+(?i:{_WHOSE}withdrawal)\s*(?:(?:to|of|on|for)\s*)?[:：]\s*(?=[\W_]*[A-Z])")
_NOTICE_OF = re.compile(r"\W*(?i:retraction)\s+(?:of|to|for)\s+(?=[A-Z][a-z])")
_NOTICE_END = re.compile(
    rf"\s?[\[(]\s?{_WHOSE}(?:{_NAMED}|{_EITHER})(?:\s+(?:of|to)\b[^\[\]]{{0,300}})?[\])]+[\s.]*\Z", re.IGNORECASE
)
_BRACKETED_MARK = re.compile(r"\s*[【\[(（]已?撤")
_QUOTED = re.compile(r"[\"“”„«‘']([^\"“”„»’]{8,600})[\"“”»’']")
_JOURNAL = re.compile(r"\s?\[(?=[^\[\]\d]*\d)[^\[\]]*+\]\s?\.?\Z")

# --- Marks elsewhere -------------------------------------------------------------------------------------------

_NOTE_PARTS = re.compile(r"[;\n()\[\]{}|]|\.\s")
_NOTE = re.compile(
    rf"\W*(?:{_MARK}\s*(?:\Z|[:：.,–—-]|\d|(?:see|by|in|on|at|due|because|from|for|after|as|vol)\b)|retraction\s+in\b|"
    r"(?:this|the)\s+item\s+(?:has\s+been|was|is)\s+(?:retracted|withdrawn)\b|(?:is_)?retracted\s*[:=]\s*(?:true|yes|1)\b)",
    re.IGNORECASE,
)
_SAYS = re.compile(
    rf"(?:\A|\n)(?!\n)\W*+(?:abstract\W+)?(?:retract(?:ed|ion)\W+)?(?:this|the\s+above|our)\s+(?:\w+\s+){{0,2}}?{_WORK},?\s+"
    r"(?:(?:has|have)\s+(?:now\s+)?been|was|is|is\s+being)\s+(?:formally\s+|officially\s+)?(?:retracted|withdrawn)\b",
    re.IGNORECASE,
)
_LETTERSPACED = re.compile(r"\W*(?:\w ){5,}\w\W*")
_BANNER = re.compile(rf"\W*{_MARK}\W*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class TitleMark:
    """What a title says of retraction.

    `title` is the title without the mark; a notice keeps its own. `mark` is the mark as it was written, "" where there
    is none. `kind` is "retracted" for a work that was taken back, "notice" for the notice that takes one back; then
    `about` is the title of that work, as far as it is told.
    """

    title: str
    mark: str = ""
    kind: MarkKind = ""
    about: str = ""


def read_title(title: str) -> TitleMark:
    """The mark of retraction that a title carries, at either end."""
    line = " ".join(title[:_LONGEST_TITLE].split())
    if notice := _notice(line):
        return notice
    front = _FRONT.match(line) or _REMOVED.match(line) or _in_capitals(_FRONT_CAPITALS.match(line), line)
    if front:
        return _marked(line[: front.end()], line[front.end() :])
    end = _END_BRACKETS.search(line) or _END_DASH.search(line) or _in_capitals(_END_CAPITALS.search(line), line)
    if end:
        return _marked(end.group(), line[: end.start()])
    if is_banner(line):
        return TitleMark("", line, "retracted")
    return TitleMark(title)


def is_banner(line: str) -> bool:
    """Whether a line is nothing but a mark, as stands over the text of a page or across it ("RETRACTED ARTICLE",
    "R E T R A C T E D"). The word alone in small letters may be the cell of a table."""
    line = line.strip()
    if len(line) > _LONGEST_BANNER:
        return False
    if _LETTERSPACED.fullmatch(line):
        line = line.replace(" ", "")
    return bool(_BANNER.fullmatch(line)) and (line.isupper() or " " in line)


def notes_say_retracted(notes: str) -> bool:
    """Whether a note beside a record marks it ("Retracted", "Retraction in: …", "Retracted article. See vol …")."""
    return any(_NOTE.match(part) for part in _NOTE_PARTS.split(notes[:_LONGEST_NOTES]))


def opens_as_retracted(text: str) -> bool:
    """Whether a text says of itself that it was taken back ("This article has been retracted: …"), at its beginning or
    at that of one of its first lines: further on it may speak of another work."""
    return _SAYS.search(text[:_OPENING]) is not None


def _in_capitals(match: re.Match[str] | None, line: str) -> re.Match[str] | None:
    """A mark that only its capitals tell from a word of the title, where the title itself is not in capitals."""
    if match is None:
        return None
    return None if (line[: match.start()] + line[match.end() :]).isupper() else match


def _marked(mark: str, rest: str) -> TitleMark:
    return TitleMark(rest.strip(" :：–—-*_~"), mark.strip(" .:：;,–—-*_~"), "retracted")


def _notice(line: str) -> TitleMark | None:
    if _BRACKETED_MARK.match(line):
        return None
    for pattern in (_NOTICE_NAMED, _NOTICE_ACT, _NOTICE_WITHDRAWAL):
        if match := pattern.match(line):
            return TitleMark(line, _trimmed(match.group()), "notice", _about(match.group(), line[match.end() :]))
    if end := _NOTICE_END.search(line):
        return TitleMark(line, end.group().strip(), "notice", line[: end.start()].strip())
    match = _NOTICE_OF.match(line)
    if match and _begins_a_title(line[match.end() :]):
        return TitleMark(line, _trimmed(match.group()), "notice", _about("", line[match.end() :]))
    return None


def _begins_a_title(rest: str) -> bool:
    """Whether the first word has its capital as the first of a title: no later word has one, save abbreviations."""
    words: list[str] = re.findall(r"[^\W\d_]+", rest)
    return len(words) > 3 and all(word[0].islower() or word.isupper() for word in words[1:])


def _trimmed(mark: str) -> str:
    return mark.strip(" .:：–—-\"“„«‘'")


def _about(mark: str, rest: str) -> str:
    """The title that a notice names: what stands in quotes, else the rest without the journal that follows it."""
    opening = mark[-1:] if mark[-1:] in "\"“„«‘'" else ""
    if quoted := _QUOTED.search(opening + rest):
        return quoted.group(1).strip(" .,")
    return _JOURNAL.sub("", rest).strip(" .,\"“”'’‘*")
