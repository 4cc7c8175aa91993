"""The command that serves a library over HTTP, with its page."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from litloop.cli.options import JsonOption, LibraryOption, open_library
from litloop.cli.output import notes, print_json, results

if TYPE_CHECKING:
    from litloop.library import Library

SERVER_PACKAGES = ("fastapi", "starlette", "limits", "prometheus_client", "python_multipart", "uvicorn")


def register(app: typer.Typer) -> None:
    app.command()(serve)


def serve(
    library: LibraryOption = None,
    host: Annotated[
        str | None,
        typer.Option(help="Address to listen on. Default: 127.0.0.1. Any address beyond this machine needs API keys."),
    ] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="Port to listen on. Default: 8000. 0 takes any free port.")
    ] = None,
    browser: Annotated[bool, typer.Option("--open", help="Open the web page in a browser.")] = False,
    create: Annotated[bool, typer.Option("--create", help="Create the library if there is none.")] = False,
    new_key: Annotated[bool, typer.Option("--new-key", help="Print a new API key and its hash, and exit.")] = False,
    json: JsonOption = False,
) -> None:
    """Serve a library as a web page and over HTTP, until you press Ctrl-C.

    On Ctrl-C, questions that are being answered get some seconds to finish. An upload that is being read stops, and
    continues when you upload the same files again.
    """
    if new_key:
        _show_new_key(json)
        return
    run = _server()
    wanted = {name: value for name, value in (("host", host), ("port", port)) if value is not None}
    with open_library(library, create=create, server=wanted) as held:
        run(held, started=lambda url: _tell(held, url, browser=browser, json=json))


def _server() -> Any:
    from importlib.util import find_spec

    from litloop.core.errors import MissingExtra

    missing = next((package for package in SERVER_PACKAGES if find_spec(package) is None), None)
    if missing:
        raise MissingExtra(f"The server's {missing}", "server")
    from litloop.server.uvicorn_server import run_server

    return run_server


def _tell(library: Library, url: str, *, browser: bool, json: bool) -> None:
    from litloop.server.site import NO_PAGE, Site

    if json:
        print_json({"url": url, "library": str(library.folder), "page": Site().built})
    else:
        results().print(f"Serving {library.folder} at {url}\nThe routes are described at {url}/docs", soft_wrap=True)
        if not Site().built:
            notes().print(NO_PAGE)
    sys.stdout.flush()  # whoever started this process waits for the address
    if browser:
        import webbrowser

        webbrowser.open(url)


def _show_new_key(json: bool) -> None:
    from litloop.server.sessions import new_key

    key, digest = new_key()
    if json:
        print_json({"key": key, "sha256": digest})
        return
    results().print(f"key     {key}\nsha256  {digest}", soft_wrap=True)
    results().print("Give the key to whoever may ask; put the hash into server.api_keys (LITLOOP_SERVER__API_KEYS).")
