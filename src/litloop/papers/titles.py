"""Titles as names: when do two titles say the same, and when does a title say too little to be a name?

A key keeps the letters and figures of every script. (The research assistant's pipeline kept only [a-z0-9 ],
so that all Chinese and Cyrillic titles became one paper.) Numerals, parts, editions and the words that make a
notice ("Erratum to …") stay in the key: they are what tells two works apart.
"""

from __future__ import annotations

import html
import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from litloop.core.normal_forms import normal_form
from litloop.text.retractions import read_title
from litloop.text.tags import without_tags

ENOUGH_WORDS = 4  # content words from which a title alone names a work, its year and author agreeing
SHORT_WORDS = 2  # under it a title names nothing without its journal
_LONGEST = 2000  # characters of a title that are looked at
_LETTERS_PER_WORD = 2.5  # of scripts that are written without spaces

_LATEX_COMMAND = re.compile(r"\\([a-zA-Z]+)\s*")
_TOKEN = re.compile(r"[^\W_]+(?:[\u0300-\u036f\u0900-\u0dff\u0e00-\u0eff]+[^\W_]*)*")
_ALNUM_ASCII = re.compile(r"[a-z0-9]+")
_FOLDED = str.maketrans({"ø": "o", "ł": "l", "æ": "ae", "œ": "oe", "đ": "d", "ð": "d", "þ": "th", "ı": "i"})
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]")
_GREEK = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "ζ": "zeta", "η": "eta", "θ": "theta",
    "ι": "iota", "κ": "kappa", "λ": "lambda", "μ": "mu", "ν": "nu", "ξ": "xi", "π": "pi", "ρ": "rho",
    "σ": "sigma", "ς": "sigma", "τ": "tau", "υ": "upsilon", "φ": "phi", "χ": "chi", "ψ": "psi", "ω": "omega",
}  # fmt: skip
_ROMAN = {"i": "1", "ii": "2", "iii": "3", "iv": "4", "v": "5", "vi": "6", "vii": "7", "viii": "8", "ix": "9",
          "x": "10", "xi": "11", "xii": "12"}  # fmt: skip
_PART_WORDS = frozenset({
    "part", "pt", "volume", "vol", "book", "chapter", "phase", "study", "paper", "section", "series", "teil", "band",
    "partie", "parte", "часть", "том", "version", "edition"
})  # fmt: skip
_NOTICE = re.compile(
    r"^\W*(?:(?:author(?:'s|’s|s)?|publisher(?:'s|’s|s)?|editor(?:ial|'s|’s|s)?)\s+)?"
    r"(?P<what>errat(?:um|a)|corrigend(?:um|a)|correction(?:s)?|addend(?:um|a)|"
    r"expression of (?:editorial )?concern|"
    r"(?:a\s+)?(?:reply|response|rebuttal|rejoinder)|(?:a\s+)?comment(?:s|ary)?|re|опечатк[аи]|исправлени[ея]|"
    r"更正|勘误|訂正)\s*(?:(?:to|of|on|for|zu|à|к)\b\s*)?[:.–—,\"“‘'(\[-]*\s*",
    re.IGNORECASE,
)
_NOTICE_LINK = re.compile(r"[:.–—\"“‘(\[]|\b(?:to|of|on|for|zu|à|к)\b|[更勘訂]", re.IGNORECASE)
_GENERIC = frozenset({
    # front and back matter
    "editorial", "editorials", "guesteditorial", "editorialnote", "editorsnote", "editorsnotes", "fromtheeditor",
    "fromtheeditors", "editorialboard", "editorialcomment", "editorialcommentary", "editorschoice", "editorspick",
    "preface", "foreword", "introduction", "intro", "prologue", "epilogue", "afterword", "conclusion",
    "conclusions", "summary", "abstract", "abstracts", "overview", "background", "discussion", "index",
    "authorindex", "subjectindex", "contents", "tableofcontents", "frontmatter", "backmatter", "masthead",
    "coverimage", "cover", "coverpicture", "insidefrontcover", "frontcover", "backcover", "titlepage", "copyright",
    "copyrightpage", "dedication", "acknowledgment", "acknowledgments", "acknowledgement", "acknowledgements",
    "references", "bibliography", "glossary", "appendix", "appendices", "notes", "contributors",
    "notesoncontributors", "listofcontributors", "listofreviewers", "reviewers", "issueinformation", "inthisissue",
    "announcement", "announcements", "news", "newsandviews", "newsandnotes", "briefcommunication", "highlights",
    "researchhighlights", "calendar", "events", "program", "programme", "proceedings", "welcome", "welcomemessage",
    "advertisement", "inbrief", "perspective", "perspectives", "viewpoint", "opinion", "correspondence",
    # replies, notices, reviews
    "reply", "replies", "response", "authorreply", "authorsreply", "thereply", "theauthorsreply", "authorresponse",
    "authorsresponse", "responsetotheeditor", "inreply", "comment", "comments", "commentary", "commentaries",
    "rejoinder", "rebuttal", "erratum", "errata", "corrigendum", "corrigenda", "correction", "corrections",
    "addendum", "retraction", "retractionnote", "retractionnotice", "noticeofretraction", "withdrawn", "retracted",
    "expressionofconcern", "publishersnote", "publishercorrection", "authorcorrection", "letter", "letters",
    "lettertotheeditor", "letterstotheeditor", "totheeditor", "bookreview", "bookreviews", "review", "reviews",
    "reviewarticle", "booksreceived", "bookreceived", "obituary", "obituaries", "inmemoriam", "interview",
    "casereport", "casereports", "caseseries", "meetingabstracts", "conferenceabstracts", "meetingreport",
    "conferencereport", "posterabstracts", "posters", "oralpresentations", "questionsandanswers", "qanda",
    "untitled", "notitle", "notavailable", "titlenotavailable", "unknown", "na", "none", "null", "test",
    # other languages
    "éditorial", "editoriale", "préface", "avantpropos", "vorwort", "einleitung", "einführung", "inhalt",
    "inhaltsverzeichnis", "buchbesprechung", "buchbesprechungen", "rezension", "rezensionen", "nachruf", "zumgeleit",
    "introducción", "prefacio", "prólogo", "reseña", "introdução", "prefácio", "introduzione",
    "prefazione", "recensione", "recensioni", "compterendu", "comptesrendus", "редакционнаястатья", "отредактора",
    "отредакции", "введение", "предисловие", "рецензия", "содержание", "заключение", "前言", "序言", "序", "引言",
    "编者按", "編者按", "卷首语", "目录", "目次", "书评", "書評", "巻頭言", "はじめに", "まえがき", "編集後記",
    "緒言", "序論", "総説", "서문", "머리말", "서론",
})  # fmt: skip
# A title that begins so and says little more is still the heading of a column.
_GENERIC_START = re.compile(
    r"^(?:(?:guest )?editorial|preface|foreword|introduction|reply|response|erratum|corrigendum|correction|"
    r"book reviews?|letters? to the editor|in this issue|in memoriam|from the editors?|abstracts?|index|contents|"
    r"news|announcements?|front matter|back matter|editor['’]?s? (?:note|introduction|letter|page))\b"
    r"[\s:.–—-]*(?:to (?:the|this) (?:special|theme|thematic)?\s*(?:issue|section|volume)\b.*|"
    r"(?:vol(?:ume)?|issue|no|number)?\W*[\divxlc]*\W*|of (?:the )?(?:year|volume|issue)\b.*)$",
    re.IGNORECASE,
)
_STOPWORDS = frozenset({
    "a", "an", "the", "of", "in", "on", "for", "and", "or", "to", "with", "by", "from", "at", "as", "is", "are", "its",
    "via", "using", "der", "die", "das", "und", "von", "le", "la", "les", "de", "des", "du", "et", "el", "los", "y",
    "en", "в", "и", "на", "по", "с", "о"
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class TitleName:
    """What a title says as a name. Equal keys are equal titles.

    `words` counts content words; scripts without spaces count one word per 2.5 letters. `generic` titles name a
    column, not a work. `notice` is True for errata, retractions, comments and replies, and `about` is the key of
    the title they speak of. `main` is the key of what stands before a subtitle, "" where there is none.
    """

    key: str
    words: int
    generic: bool = False
    notice: bool = False
    about: str = ""
    main: str = ""
    withdrawn: bool = False  # marked as retracted in the title itself
    retracts: bool = False  # a notice that takes the work it is about back

    @property
    def distinctive(self) -> bool:
        return not self.generic and self.words >= ENOUGH_WORDS


@lru_cache(maxsize=65_536)
def title_name(title: str) -> TitleName:
    """The title as a name. The same for every spelling that differs in case, markup, punctuation or accents."""
    text = _plain(title)
    said = read_title(text)
    withdrawn = said.kind == "retracted"
    text = said.title
    tokens = _tokens(text)
    key = _joined(tokens)
    notice = _NOTICE.match(text)
    about = ""
    if said.kind == "notice":
        about = _joined(_tokens(said.about))
    elif notice and _NOTICE_LINK.search(notice.group()):
        about = _joined(_tokens(read_title(text[notice.end() :]).title))
    generic = not key or _is_generic(text, key)
    return TitleName(
        key=key,
        words=_content_words(tokens),
        generic=generic,
        notice=bool(about),
        about=about,
        main="" if generic or about else _main(text),
        withdrawn=withdrawn,
        retracts=bool(about) and said.kind == "notice",
    )


def similarity(one: str, other: str) -> float:
    """Share of words that two titles have in common, 0-1: shared words over the words of the shorter.

    Words of scripts without spaces are compared letter pair by letter pair. 1.0 where one title is the start of
    the other, as with a left-out subtitle.
    """
    a, b = _pieces(one), _pieces(other)
    return len(a & b) / min(len(a), len(b)) if a and b else 0.0


def is_latin(text: str) -> bool:
    """Whether a text is written in Latin or Greek letters, as far as its first letters tell."""
    letters = [c for c in text[:200] if c.isalpha()]
    return sum(ord(c) < 0x400 for c in letters) * 2 >= len(letters)


def folded_words(text: str) -> list[str]:
    """Words in one form: NFKC, casefold, Latin and Greek letters without accents."""
    return [token for token in _TOKEN.findall(_fold(text)) if token]


def _plain(title: str) -> str:
    """Without markup: HTML and MathML tags, entities, LaTeX commands and braces."""
    title = title[:_LONGEST]
    text = html.unescape(html.unescape(title)) if "&" in title else title
    text = without_tags(text)
    if "\\" in text:
        text = _LATEX_COMMAND.sub(r"\1", text)
    for sign in "${}":
        text = text.replace(sign, "")
    text = text.replace("&", " and ").replace("＆", " and ")
    return normal_form("NFKC", " ".join(text.split()))


def _fold(text: str) -> str:
    text = normal_form("NFKC", text).casefold()
    if text.isascii():
        return text
    letters: list[str] = []
    base = ""
    for char in normal_form("NFD", text):
        if unicodedata.category(char) == "Mn":
            # Accents vary between databases on Latin and Greek letters; й without its breve is another letter.
            if base and (base.isascii() or "\u0370" <= base <= "\u03ff"):
                continue
        else:
            base = char
        letters.append(char)
    return normal_form("NFC", "".join(letters)).translate(_FOLDED)


def _tokens(text: str) -> list[str]:
    folded = _fold(text)
    tokens = _ALNUM_ASCII.findall(folded) if folded.isascii() else _TOKEN.findall(folded)
    if not folded.isascii() and any("a" <= char <= "z" for char in folded):
        tokens = [_without_greek(token) for token in tokens]
    return [
        _ROMAN[token] if token in _ROMAN and at and tokens[at - 1] in _PART_WORDS else token
        for at, token in enumerate(tokens)
    ]


def _joined(tokens: list[str]) -> str:
    """The tokens in one string, so that thin-film and thin film agree, but 1 2 and 12 do not."""
    return re.sub(r"(\d) (?=\d)", r"\1.", " ".join(tokens)).replace(" ", "")


def _without_greek(token: str) -> str:
    """Greek signs spelt out, as in IL-1β and TGF-β1: databases write the letter or its name. Greek words stay."""
    greek = sum(char in _GREEK for char in token)
    if not greek or (greek > 2 and greek == len(token)):
        return token
    return "".join(_GREEK.get(char, char) for char in token)


def _content_words(tokens: list[str]) -> int:
    count = 0.0
    for token in tokens:
        unspaced = len(_UNSPACED.findall(token)) if not token.isascii() else 0
        if unspaced:
            count += unspaced / _LETTERS_PER_WORD
        elif token not in _STOPWORDS:
            count += 1
    return int(count)


def _is_generic(text: str, key: str) -> bool:
    bare = re.sub(r"(?<!\d)\d+$", "", key)
    return key in _generic_keys() or bare in _generic_keys() or not bare or bool(_GENERIC_START.match(text.strip()))


@lru_cache(maxsize=1)
def _generic_keys() -> frozenset[str]:
    return frozenset(_joined(_tokens(title)) for title in _GENERIC)


def _main(text: str) -> str:
    """The key of a title before its subtitle, when that is a name of its own and the subtitle tells no part,
    version or reply, which would make it another work."""
    head, separator, tail = text.partition(": ")
    if not separator:
        head, separator, tail = text.partition(" — ") if " — " in text else text.partition(" – ")
    if not separator:
        return ""
    tokens, rest = _tokens(head), _tokens(tail)
    if _content_words(tokens) < ENOUGH_WORDS or any(token in _PART_WORDS or token.isdecimal() for token in rest):
        return ""
    return "" if _NOTICE.match(tail) else _joined(tokens)


@lru_cache(maxsize=65_536)
def _pieces(title: str) -> frozenset[str]:
    pieces: set[str] = set()
    for token in _tokens(_plain(title)):
        if not token.isascii() and _UNSPACED.search(token):
            pieces.update(token[at : at + 2] for at in range(max(1, len(token) - 1)))
        elif token not in _STOPWORDS:
            pieces.add(token)
    return frozenset(pieces)
