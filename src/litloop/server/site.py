"""The page: the files of its build, each page with a policy that lets its own inline scripts run and nothing else."""

from __future__ import annotations

import base64
import hashlib
from html.parser import HTMLParser
from pathlib import Path

from starlette.datastructures import Headers
from starlette.responses import FileResponse, HTMLResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

STATIC = Path(__file__).with_name("static")
BUILT_FOREVER = "/_next/static/"  # names in here hold a hash of their content

NO_PAGE = (
    "This installation has no web page: in a clone with Node 20.9 or later, `make serve` builds and serves it, and "
    "`make wheel` makes a wheel that carries it."
)
ABSENT = f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>litloop</title></head>
<body><p>The litloop server is running. {NO_PAGE}</p>
<p>The routes for other programs are described at <a href="/docs">/docs</a>.</p></body></html>
"""


class Site:
    """What the folder holds is looked up once; a path that is not among it leads nowhere."""

    def __init__(self, folder: Path = STATIC) -> None:
        self._files: dict[str, Path] = {}
        self._policies: dict[Path, str] = {}
        files = sorted(file for file in folder.rglob("*") if file.is_file()) if folder.is_dir() else []
        for file in files:
            path = "/" + file.relative_to(folder).as_posix()
            self._files[path] = file
            if file.suffix == ".html":
                self._policies[file] = policy(inline_scripts(file.read_text(encoding="utf-8")))
                self._files[path.removesuffix(".html")] = file
                if file.name == "index.html":
                    self._files[path.removesuffix("index.html")] = file
                    self._files[path.removesuffix("/index.html") or "/"] = file

    @property
    def built(self) -> bool:
        return "/index.html" in self._files

    def holds(self, scope: Scope) -> bool:
        """Whether the request is for a file of the page. A page that shares its address with a route (`/runs`) is
        meant when a browser navigates there, which asks for HTML."""
        path = scope["path"]
        if scope["method"] not in ("GET", "HEAD"):
            return False
        if path == "/":
            return True
        file = self._files.get(path)
        if file is None:
            return False
        # The page fetches its own parts by their address with a slash at the end, and no route has one.
        own = file.suffix != ".html" or path.endswith((".html", "/"))
        return own or "text/html" in Headers(scope=scope).get("accept", "")

    def response(self, path: str) -> Response:
        file = self._files.get(path)
        if file is None:
            return HTMLResponse(ABSENT, headers={"Content-Security-Policy": policy(()), "Cache-Control": "no-cache"})
        response = FileResponse(file)
        if file in self._policies:
            response.headers["Content-Security-Policy"] = self._policies[file]
        forever = path.startswith(BUILT_FOREVER)
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable" if forever else "no-cache"
        return response


class PageMiddleware:
    """Answers what belongs to the page; everything else goes on to the routes."""

    def __init__(self, app: ASGIApp, site: Site) -> None:
        self._app = app
        self._site = site

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and self._site.holds(scope):
            await self._site.response(scope["path"])(scope, receive, send)
        else:
            await self._app(scope, receive, send)


def policy(scripts: tuple[str, ...]) -> str:
    """The Content-Security-Policy of a page with these inline scripts. Nothing from elsewhere, nothing else inline."""
    hashes = "".join(f" 'sha256-{_digest(script)}'" for script in dict.fromkeys(scripts))
    return "; ".join(
        [
            "default-src 'none'",
            f"script-src 'self'{hashes}",
            "style-src 'self'",
            "img-src 'self' blob: data:",
            "font-src 'self'",
            "connect-src 'self'",
            "worker-src 'self' blob:",
            "manifest-src 'self'",
            "form-action 'none'",
            "base-uri 'none'",
            "frame-ancestors 'none'",
        ]
    )


def inline_scripts(html: str) -> tuple[str, ...]:
    """The texts of the inline scripts of a page, exactly as they stand there."""
    found = _InlineScripts()
    found.feed(html)
    found.close()
    return tuple(found.texts)


class _InlineScripts(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.texts: list[str] = []
        self._inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._inside = tag == "script" and all(name != "src" for name, _ in attrs)
        if self._inside:
            self.texts.append("")

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.texts[-1] += data

    def handle_endtag(self, tag: str) -> None:
        self._inside = False


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
