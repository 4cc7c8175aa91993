"""The files behind the papers: whether they can be shown, and showing them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from starlette.responses import FileResponse, Response

from litloop.catalogue.listing import source_with_key
from litloop.server.problems import ProblemError
from litloop.server.schemas.base import FileOut
from litloop.server.schemas.collections import FilePages, PageSize

if TYPE_CHECKING:
    from litloop.catalogue import SourceFile
    from litloop.server.state import ServerState

PDF = "application/pdf"
_TYPES = {
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ".md": "text/markdown",
    ".markdown": "text/markdown",
    ".txt": "text/plain",
    ".text": "text/plain",
    ".html": "text/html",
    ".htm": "text/html",
    ".xhtml": "application/xhtml+xml",
    ".xml": "application/xml",
    ".nxml": "application/xml",
    ".json": "application/json",
    ".jsonl": "application/x-ndjson",
    ".ris": "application/x-research-info-systems",
    ".bib": "application/x-bibtex",
}


class SourceFiles:
    """Files by their ids. Only files that the catalogue knows can be asked for: no path ever comes from outside."""

    def __init__(self, state: ServerState) -> None:
        self._catalogue = state.library.components.catalogue
        self._state = state

    def source(self, file_id: int) -> SourceFile:
        """Raises a 404 when there is no such file."""
        source = source_with_key(self._catalogue, file_id)
        if source is None:
            raise ProblemError(404, f"There is no file with the id {file_id}.")
        return source

    def response(self, file_id: int) -> Response:
        source = self.source(file_id)
        path = Path(source.path)
        if not path.is_file():
            raise ProblemError(404, f"The file {path.name} is no longer where it was read from.")
        media_type = media_type_of(source)
        shown = media_type == PDF
        response = FileResponse(
            path, media_type=media_type if shown else "application/octet-stream", filename=path.name,
            content_disposition_type="inline" if shown else "attachment",
        )  # fmt: skip
        # A document is data: even a browser that opened it in a tab may run nothing of it.
        response.headers["Content-Security-Policy"] = "sandbox; default-src 'none'; style-src 'unsafe-inline'"
        response.headers["Cache-Control"] = "private, no-cache"
        return response

    async def pages(self, file_id: int) -> FilePages:
        source = await self._pdf(file_id)
        sizes = await self._state.pages.sizes(source)
        shown = [
            PageSize(page=number, width=width, height=height, image=image_url(file_id, number))
            for number, (width, height) in enumerate(sizes, start=1)
        ]
        return FilePages(file=file_out(source), pages=shown)

    async def page_image(self, file_id: int, page: int, width: int, *, known: str | None) -> Response:
        source = await self._pdf(file_id)
        tag = f'"{source.sha256[:32]}-{page}-{width}"'
        headers = {"ETag": tag, "Cache-Control": "private, max-age=86400"}
        if known == tag:
            return Response(status_code=304, headers=headers)
        picture = await self._state.pages.picture(source, page, width)
        return Response(picture, media_type="image/png", headers=headers)

    async def _pdf(self, file_id: int) -> SourceFile:
        source = await self._state.workers.run_lookup(lambda: self.source(file_id))
        why = await self._state.workers.run_lookup(lambda: unshown(source))
        if why is not None:
            raise ProblemError(410 if media_type_of(source) == PDF else 422, why)
        return source


def unshown(source: SourceFile) -> str | None:
    """Why the pages of a file cannot be shown, or None when they can."""
    path = Path(source.path)
    if media_type_of(source) != PDF:
        return f"{path.name} has no pages to show: it is not a PDF."
    try:
        stat = path.stat()
    except OSError:
        return f"{path.name} is no longer where it was read from."
    if stat.st_size != source.size:
        return f"{path.name} has changed since it was read: add it again to see its pages."
    return None


def file_out(source: SourceFile) -> FileOut:
    media_type = media_type_of(source)
    pages = image_folder(source.key) if media_type == PDF else None
    return FileOut(
        file_id=source.key,
        name=Path(source.path).name,
        media_type=media_type,
        size=source.size,
        status=source.status,
        kind=source.kind,
        reason=source.reason,
        warnings=list(source.warnings),
        added=source.added,
        papers=source.papers,
        available=Path(source.path).is_file(),
        url=f"/files/{source.key}",
        pages_url=pages,
    )


def media_type_of(source: SourceFile) -> str:
    """What a file is: a PDF by its first bytes, whatever it is called; the rest by its ending."""
    path = Path(source.path)
    if source.media_type:
        return source.media_type
    try:
        with path.open("rb") as file:
            if b"%PDF-" in file.read(1024):
                return PDF
    except OSError:
        if path.suffix.lower() == ".pdf":
            return PDF
    return _TYPES.get(path.suffix.lower(), "application/octet-stream")


def image_folder(file_id: int) -> str:
    return f"/files/{file_id}/pages"


def image_url(file_id: int, page: int) -> str:
    return f"{image_folder(file_id)}/{page}.png"
