"""One file becomes documents: its real kind is found, its limits checked, and the reader of that kind called."""

from __future__ import annotations

from pathlib import Path

from litloop.core.errors import SourceError
from litloop.reading.media import Kind, kind_of
from litloop.reading.reading_limits import MEGABYTE, ReadingLimits
from litloop.reading.result import Reader, ReadResult


def read_file(path: Path | str, password: str | None = None, limits: ReadingLimits | None = None) -> ReadResult:
    """Read one file in this process, without a time or memory limit (`ReadingPool` has both).

    Raises SourceError with one sentence; its `kind` is missing, unreadable, too_large, empty, scanned, locked,
    broken, garbled, unsupported or memory.
    """
    path, limits = Path(path), limits or ReadingLimits()
    check_file(path, limits)
    try:
        return _READERS[kind_of(path)](path, password, limits)
    except RecursionError as error:
        raise SourceError("broken", f"{path.name} cannot be read: its parts are nested too deep.") from error
    except MemoryError as error:
        raise SourceError("memory", f"{path.name} needs more memory than reading.memory_mb allows.") from error
    except OSError as error:
        raise _unreadable(path, error) from error


def check_file(path: Path, limits: ReadingLimits) -> None:
    """Raises SourceError for a path that is no file, may not be read or is too large."""
    try:
        size = path.stat().st_size
        if path.is_dir():
            raise SourceError("unsupported", f"{path} is a folder, not a file.")
        if not path.is_file():
            raise SourceError("unsupported", f"{path} is not a regular file.")
        if size > limits.max_file_mb * MEGABYTE:
            raise SourceError(
                "too_large",
                f"{path.name} has {size / MEGABYTE:,.0f} MB; reading.max_file_mb allows {limits.max_file_mb:g}.",
            )
        with path.open("rb"):
            pass
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: Exception) -> SourceError:
    if isinstance(error, FileNotFoundError) or (isinstance(error, ValueError) and "null" in str(error)):
        return SourceError("missing", f"There is no file at {path}.")
    if isinstance(error, PermissionError):
        return SourceError("unreadable", f"{path.name} may not be read: permission denied.")
    return SourceError("unreadable", f"{path.name} cannot be read: {getattr(error, 'strerror', None) or error}.")


def _pdf(path: Path, password: str | None, limits: ReadingLimits) -> ReadResult:
    from litloop.reading.pdf import read_pdf

    return read_pdf(path, password)


def _docx(path: Path, password: str | None, limits: ReadingLimits) -> ReadResult:
    from litloop.reading.docx import read_docx

    return read_docx(path, limits)


def _html(path: Path, password: str | None, limits: ReadingLimits) -> ReadResult:
    from litloop.reading.html import read_html

    return read_html(path)


def _jats(path: Path, password: str | None, limits: ReadingLimits) -> ReadResult:
    from litloop.reading.jats import read_jats

    return read_jats(path)


def _markdown(path: Path, password: str | None, limits: ReadingLimits) -> ReadResult:
    from litloop.reading.markdown import read_markdown

    return read_markdown(path)


def _plain(path: Path, password: str | None, limits: ReadingLimits) -> ReadResult:
    from litloop.reading.plain import read_plain

    return read_plain(path)


def _bibtex(path: Path, password: str | None, limits: ReadingLimits) -> ReadResult:
    from litloop.reading.bibliography import read_bibtex

    return read_bibtex(path)


def _ris(path: Path, password: str | None, limits: ReadingLimits) -> ReadResult:
    from litloop.reading.bibliography import read_ris

    return read_ris(path)


def _medline(path: Path, password: str | None, limits: ReadingLimits) -> ReadResult:
    from litloop.reading.bibliography import read_nbib

    return read_nbib(path)


def _zotero_rdf(path: Path, password: str | None, limits: ReadingLimits) -> ReadResult:
    from litloop.reading.bibliography import read_zotero_rdf

    return read_zotero_rdf(path)


def _corpus(path: Path, password: str | None, limits: ReadingLimits) -> ReadResult:
    from litloop.reading.corpus import iter_corpus, media_type

    warnings: list[str] = []
    documents = tuple(iter_corpus(path, limits=limits, warn=warnings.append))
    return ReadResult(documents, tuple(warnings), media_type(path))


_READERS: dict[Kind, Reader] = {
    "pdf": _pdf, "docx": _docx, "html": _html, "jats": _jats, "markdown": _markdown, "plain": _plain, "corpus": _corpus,
    "bibtex": _bibtex, "ris": _ris, "medline": _medline, "zotero_rdf": _zotero_rdf,
}  # fmt: skip
