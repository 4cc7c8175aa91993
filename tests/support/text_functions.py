"""Every function that is given a text of unknown origin, by the name it goes by: for measuring how their time grows.

A file's reader is given a file, a checker the text as claim and as evidence, a function of passages one passage of that
text. Where a caller cuts its texts before it calls (a question, a title), the cut is in front of the function here too.
"""

from __future__ import annotations

import contextlib
import html
import json
import tempfile
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from litloop.answer.contract import QuoteReply, bind_quote
from litloop.answer.render import render
from litloop.answer.validate import faults, says_something
from litloop.chunking import make_passages
from litloop.core.errors import LitloopError
from litloop.core.identifiers import normal_ids
from litloop.core.notebook import printable
from litloop.core.records import (
    Anchor,
    AnswerItem,
    AnswerWithEvidence,
    EvidenceSpan,
    Hit,
    Paper,
    Passage,
    Text,
)
from litloop.core.requests import AskRequest, SearchRequest
from litloop.embedding.hashing import HashingEmbedder
from litloop.extractive.passage_sentences import passage_sentences, tell_findings
from litloop.extractive.sentence_reader import SentenceReader
from litloop.extractive.sentence_scores import SentenceScorer, is_anaphoric, states_aim_or_method
from litloop.extractive.typed_values import typed_values
from litloop.index.analyser import Analyser, fold_term
from litloop.llm.extractive_compressor import ExtractiveCompressor
from litloop.llm.prompt import PromptDocument, inert
from litloop.llm.reasoning import without_reasoning
from litloop.llm.replies import json_candidates, salvaged
from litloop.llm.tokens import counter_for
from litloop.loop.paraphrase import offline_paraphrases, renamed
from litloop.loop.relevance import Verdicts
from litloop.papers.people import name_words, same_person
from litloop.papers.reconciliation import sane_abstract
from litloop.papers.record_facts import is_preprint_venue
from litloop.papers.titles import folded_words, similarity, title_name
from litloop.papers.works import content_key
from litloop.question import parse
from litloop.question.cleaning import clean, correct_spelling, refuse_documents
from litloop.reading.corpus import iter_corpus
from litloop.reading.file import read_file
from litloop.reading.legibility import is_garbled
from litloop.reading.line_numbers import numbered_lines
from litloop.reading.markdown import markdown_text
from litloop.reading.metadata import (
    abstract_of,
    authors_of,
    described_document,
    identifiers,
    published_year,
    sensible_title,
    year_of,
)
from litloop.reading.plain import plain_text
from litloop.reading.reference_marks import reference_marks_apart
from litloop.reading.right_to_left import runs_right_to_left
from litloop.references import bibtex_reader, latex_text, nbib_reader, ris_reader
from litloop.references.bibtex_writer import write_bibtex
from litloop.references.csl_json_writer import write_csl_json
from litloop.references.fields import clean_line, name_of
from litloop.references.markdown_writer import write_markdown
from litloop.references.notes import ids_in
from litloop.references.ris_writer import write_ris
from litloop.retrieval.service import checked_question
from litloop.scholarly.fields import plain as provider_text
from litloop.text.acronyms import find_acronyms, spelled_by_initials
from litloop.text.characters import folded, normalise, one_line, raised
from litloop.text.clean import clean_text, without_list_mark
from litloop.text.dates import find_dates, to_iso
from litloop.text.encodings import decode
from litloop.text.entities import entity_key, find_entities, missing_entities
from litloop.text.folding import Folded, fold
from litloop.text.markers import find_markers, strip_markers
from litloop.text.negation import negation_scopes
from litloop.text.number_words import find_worded_numbers
from litloop.text.numbers import find_quantities
from litloop.text.opposites import oppositions
from litloop.text.quotes import QuotedText
from litloop.text.retractions import is_banner, notes_say_retracted, opens_as_retracted, read_title
from litloop.text.safe_xml import parse_xml
from litloop.text.sentences import sentence_spans
from litloop.text.supported_quantities import stated
from litloop.text.units import unit_named
from litloop.verification.support.figures import figures
from litloop.verification.support.model import Statement, SupportModel
from litloop.verification.support.roles import swapped_roles
from litloop.verification.support.wording import read as read_wording

TextFunction = Callable[[str], object]

SENTENCE = "The tumour was not small in 3 of 12 patients (25 %), and IL-6 increased by 5 mg."
QUESTION = "What does FDG-PET show in corticobasal syndrome?"


def text_functions() -> Mapping[str, TextFunction]:
    """The table: name, function of one text. Readers of files, of fields, of questions and replies; checkers; writers."""
    return MappingProxyType(
        {
            # text
            "acronyms": find_acronyms,
            "acronyms: spelled by initials": lambda text: spelled_by_initials("ABCD", text),
            "acronyms: a long acronym": lambda text: spelled_by_initials(text, SENTENCE),
            "characters: normalise": normalise,
            "characters: folded": folded,
            "characters: one line": one_line,
            "characters: raised": raised,
            "clean": clean_text,
            "clean: list mark": without_list_mark,
            "dates": find_dates,
            "dates: ISO": to_iso,
            "encodings": lambda text: decode(_bytes(text)),
            "entities": find_entities,
            "entities: key": entity_key,
            "entities: missing": lambda text: missing_entities(SENTENCE, text),
            "entities: missing of a long claim": lambda text: missing_entities(text, SENTENCE),
            "folding": Folded,
            "folding: fold": fold,
            "markers": find_markers,
            "markers: strip": lambda text: strip_markers(text, frozenset({1, 2})),
            "negation": negation_scopes,
            "number words": lambda text: list(find_worded_numbers(text)),
            "numbers": find_quantities,
            "opposites: evidence": lambda text: oppositions(SENTENCE, text),
            "opposites: claim": lambda text: oppositions(text, SENTENCE),
            "opposites: both": lambda text: oppositions(text, text),
            "quotes: text": lambda text: QuotedText(text).find(SENTENCE),
            "quotes: quote": lambda text: QuotedText(SENTENCE).find(text),
            "quotes: both": lambda text: QuotedText(text).find(text + "x"),
            "quotes: reanchor": lambda text: QuotedText(text).reanchor(SENTENCE),
            "quotes: reanchor a long quote": lambda text: QuotedText(text).reanchor(text + " extra word"),
            "retractions: title": read_title,
            "retractions: banner": is_banner,
            "retractions: notes": notes_say_retracted,
            "retractions: opening": opens_as_retracted,
            "sentences": sentence_spans,
            "supported quantities": stated,
            "units": unit_named,
            "XML": _quiet(lambda text: parse_xml(f"<a>{html.escape(_printed(text))}</a>".encode())),
            "XML: as it is": _quiet(lambda text: parse_xml(_bytes(text))),
            # reading
            "reading: plain text": plain_text,
            "reading: Markdown": markdown_text,
            "reading: .txt": _file(".txt", lambda text: text),
            "reading: .md": _file(".md", lambda text: text),
            "reading: .html": _file(".html", lambda text: f"<html><body><p>{text}</p></body></html>"),
            "reading: text of .html": _file(".html", lambda text: f"<html><body>{html.escape(text)}</body></html>"),
            "reading: title of .html": _file(
                ".html", lambda text: f"<html><head><title>{html.escape(text)}</title></head><body>a b c</body></html>"
            ),
            "reading: JATS": _file(".xml", _jats),
            "reading: corpus": _corpus,
            "reading: corpus as it is": _lines,
            "reading: reference marks": reference_marks_apart,
            "reading: legibility": is_garbled,
            "reading: line numbers": lambda text: numbered_lines(text.splitlines()),
            "reading: described": lambda text: described_document(Path("a.txt"), Text(text), first_page=text),
            "reading: given fields": lambda text: described_document(
                Path("a.txt"), Text(SENTENCE), {"title": text, "author": text, "date": text, "doi": text}
            ),
            "reading: title": sensible_title,
            "reading: authors": authors_of,
            "reading: year": year_of,
            "reading: published": published_year,
            "reading: identifiers": identifiers,
            "reading: abstract": lambda text: abstract_of(Text(text)),
            "reading: right to left": runs_right_to_left,
            # references
            "BibTeX": lambda text: list(bibtex_reader.entries(text)),
            "BibTeX: a field": lambda text: list(
                bibtex_reader.entries(
                    f"@article{{a,\n  title = {{{_plain(text)}}},\n  author = {{{_plain(text)}}}\n}}\n"
                )
            ),
            "RIS": lambda text: list(ris_reader.entries(text)),
            "RIS: a field": lambda text: list(ris_reader.entries(f"TY  - JOUR\nTI  - {text}\nAU  - {text}\nER  - \n")),
            "MEDLINE": lambda text: list(nbib_reader.entries(text)),
            "MEDLINE: a field": lambda text: list(nbib_reader.entries(f"PMID- 1\nTI  - {text}\nAID - {text}\n")),
            "LaTeX": latex_text.plain,
            "LaTeX: verbatim": latex_text.verbatim,
            "references: name": name_of,
            "references: line": clean_line,
            "references: ids in notes": ids_in,
            "references: written": lambda text: [
                list(write([_paper(text)])) for write in (write_bibtex, write_ris, write_csl_json, write_markdown)
            ],
            # question
            "question": _quiet(_parsed),
            "question: clean": _quiet(lambda text: clean(_asked(text))),
            "question: spelling": _quiet(lambda text: correct_spelling(_asked(text), frozenset({"tumour", "amyloid"}))),
            "question: asked": _quiet(AskRequest),
            "question: searched": _quiet(SearchRequest),
            "question: checked": _quiet(checked_question),
            # passages
            "chunking": lambda text: make_passages(_paper("A title"), Text(text), _embedder().tokenizer),
            "chunking: title": lambda text: make_passages(_paper(text), Text(SENTENCE), _embedder().tokenizer),
            "analyser": lambda text: Analyser().terms(text),
            "analyser: naming words": lambda text: list(Analyser().naming_words(text)),
            "analyser: fold": fold_term,
            "embedding: tokens": _embedder().tokenizer.spans,
            "extractive: sentences": lambda text: tell_findings(passage_sentences([hit(text)])),
            "extractive: aim": states_aim_or_method,
            "extractive: anaphoric": is_anaphoric,
            "extractive: reader": lambda text: _reader().read(parse(QUESTION), [hit(text)], None),
            "extractive: reader of a look-up": lambda text: _reader().read(
                parse("How many patients?"), [hit(text)], None
            ),
            "extractive: window": lambda text: _reader().window(parse(QUESTION), hit(text)),
            **{
                f"extractive: {kind}": _values(kind)
                for kind in ("amount", "percentage", "number", "date", "duration", "entity")
            },
            "paraphrases": lambda text: offline_paraphrases(QUESTION, [text], ["corticobasal"]),
            "paraphrases: renamed": lambda text: renamed(text, {"PET": "positron emission tomography"}),
            # verification
            "support: evidence": lambda text: SupportModel().check([Statement(SENTENCE, text)]),
            "support: claim": lambda text: SupportModel().check([Statement(text, SENTENCE)]),
            "support: both": lambda text: SupportModel().check([Statement(f"{text} grew", text)]),
            "support: figures": figures.__wrapped__ if hasattr(figures, "__wrapped__") else figures,
            "support: roles": lambda text: swapped_roles(SENTENCE, text),
            "support: roles of a claim": lambda text: swapped_roles(text, SENTENCE),
            "support: roles of both": lambda text: swapped_roles(text, text),
            "support: wording": read_wording,
            # answers
            "answer: quote": lambda text: bind_quote(QuoteReply(passage="P1", quote=text), [hit(SENTENCE)]),
            "answer: quoted passage": lambda text: bind_quote(QuoteReply(passage=text, quote=SENTENCE), [hit(text)]),
            "answer: says something": says_something,
            "answer: faults": _faults,
            "answer: rendering": lambda text: render(_contract(text)),
            "answer: printable": printable,
            # models
            "replies: reasoning": without_reasoning,
            "replies: JSON": lambda text: list(json_candidates(text)),
            "replies: salvaged": lambda text: salvaged(Verdicts, text),
            "replies: a verdict": lambda text: salvaged(
                Verdicts, json.dumps({"results": [{"id": text, "relevant": text}]})
            ),
            "prompts: inert": inert,
            "prompts: compressed": lambda text: ExtractiveCompressor(counter_for("gpt-4o")).compress_now(
                [PromptDocument("P1", text)], QUESTION
            ),
            "tokens": lambda text: counter_for("llama-3").count(text),
            # papers
            "people": name_words,
            "people: the same": lambda text: same_person(text, text + " Smith"),
            "titles": title_name,
            "titles: words": folded_words,
            "titles: similarity": lambda text: similarity(text, text + " and more"),
            "papers: abstract": lambda text: sane_abstract(text, "A title"),
            "papers: preprint venue": is_preprint_venue,
            "papers: content": content_key,
            "providers: words of markup": provider_text,
            "ids": lambda text: normal_ids(dict.fromkeys(("doi", "arxiv", "pmid", "pmcid", "openalex", "s2"), text)),
        }
    )


def hit(text: str) -> Hit:
    """One passage of `text`, as search gives it."""
    return Hit(Passage("p::1", "p", Anchor("p", "v", 0, len(text)), text, title="A title", heading="Results"), 1.0, 1)


def _quiet(function: TextFunction) -> TextFunction:
    """Where refusing with one of litloop's own sentences is an answer too."""

    def refused_or_done(text: str) -> object:
        with contextlib.suppress(LitloopError, ValueError, SyntaxError):
            return function(text)
        return None

    return refused_or_done


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _printed(text: str) -> str:
    return "".join(char for char in text if char >= " " and not "\ud800" <= char <= "\udfff")


def _plain(text: str) -> str:
    return text.replace("{", "").replace("}", "").replace("@", "")


def _asked(text: str) -> str:
    refuse_documents(text)
    return text


def _parsed(text: str) -> object:
    return parse(
        _asked(text),
        vocabulary=frozenset({"tumour"}),
        topics=("Amyloid",),
        dictionary={"IL-6": ("interleukin 6",)},
    )


@cache
def _folder() -> Path:
    holder = tempfile.TemporaryDirectory(prefix="litloop-hostile-")
    _KEPT.append(holder)
    return Path(holder.name)


_KEPT: list[tempfile.TemporaryDirectory[str]] = []  # removed when the process ends


def _file(ending: str, content: Callable[[str], str]) -> TextFunction:
    def read(text: str) -> object:
        path = _folder() / f"hostile{ending}"
        path.write_bytes(content(text).encode("utf-8", "replace"))
        return read_file(path)

    return _quiet(read)


def _jats(text: str) -> str:
    said = html.escape(_printed(text))
    return (
        f"<article><front><article-meta><title-group><article-title>{said}</article-title></title-group>"
        f"<abstract><p>{said}</p></abstract></article-meta></front><body><sec><p>{said}</p></sec></body></article>"
    )


def _read_corpus(content: bytes) -> object:
    path = _folder() / "hostile.jsonl"
    path.write_bytes(content)
    return list(iter_corpus(path, warn=lambda sentence: None))


def _corpus(text: str) -> object:
    row: dict[str, Any] = {"id": "1", "title": text, "text": text, "authors": text, "year": text, "doi": text}
    with contextlib.suppress(LitloopError):
        return _read_corpus(json.dumps(row).encode())
    return None


def _lines(text: str) -> object:
    with contextlib.suppress(LitloopError):
        return _read_corpus(b'{"id": "1", "title": "a", "text": "b"}\n' + text.encode("utf-8", "replace"))
    return None


def _paper(title: str) -> Paper:
    return Paper("p", title=title, authors=(title, "Smith, J."), abstract=title, venue=title)


@cache
def _embedder() -> HashingEmbedder:
    return HashingEmbedder()


def _reader() -> SentenceReader:
    return SentenceReader(SentenceScorer(None, Analyser().terms, lambda terms: dict.fromkeys(terms, 1), 1000))


def _values(kind: str) -> TextFunction:
    return lambda text: typed_values(text, kind, QUESTION)


def _contract(text: str) -> AnswerWithEvidence:
    span = EvidenceSpan(Anchor("p", "v", 0, len(text)), text, "p::1")
    items = tuple(AnswerItem(text, kind, (span,)) for kind in _kinds())
    return AnswerWithEvidence(text, items, answer_found=True, complete_answer_found=True, confidence=1.0)


def _kinds() -> Iterator[str]:
    yield from ("number", "amount", "date", "boolean", "text")


def _faults(text: str) -> object:
    return faults(_contract(text), {"p::1": hit(text)}, shape="list")
