"""litloop answers questions from a collection of papers with sentences that a reader can check.

Everything that a program needs is here: `from litloop import Library, Filters`. A name is imported when it is first
used, so that `import litloop` costs nothing. `__init__.pyi` says the same to editors and type checkers.
"""

import sys

__version__ = "0.2.0"

_HOMES = {
    "litloop.library": ("Library",),
    "litloop.core.choices": ("BoostForm", "Fusion", "QueryKind", "SearchMode"),
    "litloop.core.errors": (
        "BudgetExceeded", "DamagedLibrary", "EmbedderMismatch", "LibraryError", "LitloopError", "MissingExtra",
        "ModelError", "NotALibrary", "SettingsError", "SourceError", "StorageFull", "UsageError", "WriterBusy",
    ),
    "litloop.core.events": ("Event", "EventType", "read_trace"),
    "litloop.core.filters": ("Filters",),
    "litloop.core.records": (
        "Alternative", "Anchor", "Answer", "AnswerItem", "AnswerSentence", "AnswerWithEvidence", "Check",
        "CheckVerdict", "Citation", "ClosestTopic", "Document", "EvidenceSpan", "Heading", "Hit", "LoopTraceEntry",
        "ModelCall", "Paper", "PaperUse", "Passage", "Relevance", "Status", "Text", "TextRun", "Verdict",
    ),
    "litloop.core.requests": ("AskRequest", "ResearchRequest", "SearchRequest"),
    "litloop.core.settings": ("Settings", "load_settings"),
    "litloop.catalogue": ("Collection", "SourceFile", "StoredPassage"),
    "litloop.embedding.protocol": ("Embedder", "Tokenizer"),
    "litloop.index.indexer": ("IndexReport",),
    "litloop.ingest": ("AddProgress", "AddReport"),
    "litloop.llm.chat": ("ChatModel", "ChatResult", "Message"),
    "litloop.maintenance.migration": ("MigrationReport",),
    "litloop.maintenance.status": ("LibraryStatus",),
    "litloop.reading": ("Problem", "ReadResult", "Reader", "ReadingLimits"),
    "litloop.retrieval.reranking": ("Reranker",),
    "litloop.retrieval.response": ("SearchResponse", "Synthesis"),
    "litloop.scholarly.protocol": ("Provider", "ProviderReply", "ScholarlyQuery"),
    "litloop.papers.works": ("Work",),
}  # fmt: skip
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}
__all__ = ["__version__"]
__all__.extend(_HOME_OF)


def __getattr__(name: str) -> object:
    """Import a public name when it is first used."""
    if name not in _HOME_OF:
        raise AttributeError(f"module 'litloop' has no attribute {name!r}")
    from importlib import import_module

    found = globals()[name] = getattr(import_module(_HOME_OF[name]), name)
    return found


def __dir__() -> list[str]:
    return __all__


class _ImportPathsOfOldVersions:
    """Asked last, when nobody has found a module of ours: perhaps it is one that has moved."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> object:
        if not name.startswith("litloop.") or name == "litloop.moved":
            return None
        from litloop.moved import spec_of

        return spec_of(name)


sys.meta_path.append(_ImportPathsOfOldVersions)  # type: ignore[arg-type]
