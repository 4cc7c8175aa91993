"""Questions for a library, written from its own papers: by a model, or from titles without one.

A question made from a paper shares that paper's words, so its source is kept beside it: the source alone is no proof of
retrieval, and `run --hide-source` measures without it. A model's question that copies its source is dropped.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from litloop.core.errors import UsageError
from litloop.core.records import Paper, Text
from litloop.evaluation.collections import CollectionQuestion
from litloop.evaluation.labelled import KINDS, LabelledQuestion
from litloop.index.analyser import Analyser
from litloop.llm.chat import ChatModel
from litloop.llm.prompt import Prompt, PromptDocument
from litloop.llm.reply_model import ReplyModel
from litloop.text.idf import idf

PROMPT = Prompt(
    name="question",
    version=1,
    system="You write questions that a reader might put to a collection of documents.",
    user=(
        "{document}\n\nWrite three questions that this document answers and that do not mention it: `keyword` (three "
        "to six search terms), `semantic` (a full question in other words than the document's) and `vague` (a general "
        "question of somebody new to the subject). Answer as JSON: "
        '{"keyword": "...", "semantic": "...", "vague": "..."}'
    ),
)
MAX_TOKENS = 160
EXCERPT = 1500  # characters of a paper that the model reads
KEYWORDS = 4
COPIED = 6  # words in a row that a question may not share with its source
Candidate = tuple[str, str]  # kind, text


class ThreeQuestions(ReplyModel):
    keyword: str = ""
    semantic: str = ""
    vague: str = ""


@dataclass(frozen=True, slots=True)
class Written:
    """`dropped`: questions that copied their source, or that no words were left of."""

    questions: tuple[LabelledQuestion, ...]
    dropped: int
    failed: int = 0  # papers for which the model gave nothing usable


class TitleWriter:
    """Questions from titles alone: the most telling words of the title, the title as a question, and the commonest of
    its telling words, which names a subject without saying what of it is sought."""

    made_by = "title"

    def __init__(self, analyser: Analyser, frequency: Callable[[Sequence[str]], Mapping[str, int]], count: int) -> None:
        self._analyser = analyser
        self._frequency = frequency
        self._count = count

    def write(self, paper: Paper, text: Text) -> list[Candidate]:
        words = {term: word for word, term in self._analyser.words(paper.title) if len(word) > 2}
        if len(words) < KEYWORDS:
            return []
        frequency = self._frequency(list(words))
        weight = {term: idf(frequency.get(term, 0), self._count) for term in words}
        best = sorted(words, key=lambda term: (-weight[term], term))[:KEYWORDS]
        common = sorted(best, key=lambda term: (weight[term], term))[:2]
        keyword = " ".join(words[term] for term in words if term in best)
        title = paper.title.strip().rstrip(".?!")
        about = " and ".join(words[term] for term in words if term in common)
        return [
            ("keyword", keyword),
            ("semantic", f"What is known about {title[:1].lower() + title[1:] if title[1:2].islower() else title}?"),
            ("vague", f"tell me more about {about}"),
        ]


def from_titles(papers: Sequence[tuple[Paper, Text]], writer: TitleWriter, ids: Iterator[str]) -> Written:
    found = []
    for place, (paper, text) in enumerate(papers):
        candidates = writer.write(paper, text)
        if candidates:
            kind, words = candidates[place % len(candidates)]  # one a paper: three of one would count it three times
            found.append(LabelledQuestion(next(ids), words, kind, writer.made_by, paper.id))
    return Written(tuple(found), len(papers) - len(found))


async def from_model(
    papers: Sequence[tuple[Paper, Text]],
    model: ChatModel,
    name: str,
    ids: Iterator[str],
    on_progress: Callable[[int, int], None] | None = None,
) -> Written:
    """One question a paper, its kind taken in turn. What copies the paper is dropped and counted."""
    found: list[LabelledQuestion] = []
    dropped = failed = 0
    for place, (paper, text) in enumerate(papers):
        if on_progress:
            on_progress(place, len(papers))
        document = PromptDocument("1", text.content[:EXCERPT], paper.title)
        reply = await model.structured(
            PROMPT.render(document=document), ThreeQuestions, task="question", max_tokens=MAX_TOKENS
        )
        if reply.parsed is None:
            failed += 1
            continue
        kind = KINDS[place % len(KINDS)]
        words = " ".join(getattr(reply.parsed, kind).split())
        if not words or copies(words, f"{paper.title} {text.content}"):
            dropped += 1
            continue
        found.append(LabelledQuestion(next(ids), words, kind, name, paper.id))
    return Written(tuple(found), dropped, failed)


def imported(questions: Sequence[CollectionQuestion], ids: Iterator[str]) -> list[LabelledQuestion]:
    """Somebody's own questions. Raises UsageError for a kind that is none."""
    for question in questions:
        if question.kind is not None and question.kind not in KINDS:
            raise UsageError(f"{question.kind!r} is no kind of question. Known: {', '.join(KINDS)}.")
    return [LabelledQuestion(next(ids), question.text, question.kind) for question in questions]


def sampled_papers(papers: Sequence[tuple[Paper, Text]], count: int) -> list[tuple[Paper, Text]]:
    """`count` papers, by a hash of their ids: the same ones every time, from all over the collection."""
    return sorted(papers, key=lambda one: hashlib.sha256(one[0].id.encode()).digest())[:count]


def copies(question: str, source: str, words: int = COPIED) -> bool:
    """Whether `words` words in a row of `question` stand in `source` just so."""
    asked, there = _words(question), _words(source)
    runs = Counter(tuple(there[at : at + words]) for at in range(len(there) - words + 1))
    return any(tuple(asked[at : at + words]) in runs for at in range(len(asked) - words + 1))


def _words(text: str) -> list[str]:
    return "".join(c if c.isalnum() else " " for c in text.casefold()).split()
