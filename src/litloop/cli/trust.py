"""The command that asks for consent to where a library's own settings lead: trust."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from litloop.cli.options import JsonOption
from litloop.cli.output import notes, print_json, printable, results

if TYPE_CHECKING:
    from litloop.core.settings.consent import Lead


def register(app: typer.Typer) -> None:
    app.command()(trust)


def trust(
    library: Annotated[
        Path | None, typer.Argument(help="The library folder. Default: as for --library of other commands.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Allow without asking.")] = False,
    revoke: Annotated[bool, typer.Option("--revoke", help="Take an earlier consent back.")] = False,
    json: JsonOption = False,
) -> None:
    """Let a library's own settings lead to other machines, after showing you which.

    Addresses and keys in the file litloop.toml of a library, and the server that its catalogue names for its index, are
    not used until you allow them. What you allow is remembered in your own folder of settings, for this library and
    these values; when one of them changes, you are asked again.
    """
    from litloop.core.errors import UsageError
    from litloop.core.paths import find_library, user_config_folder
    from litloop.core.settings.consent import ConsentBook

    folder = find_library(library)
    book = ConsentBook(user_config_folder())
    if revoke:
        revoked = book.revoke(folder)
        if json:
            print_json({"library": str(folder), "revoked": revoked})
        else:
            allowed = f"What was allowed for {folder} is taken back."
            results().print(allowed if revoked else f"Nothing was allowed for {folder}.")
        return
    leads = _leads(folder)
    missing = book.missing(folder, leads)
    if not json:
        console = results()
        console.print(f"Library  {printable(str(folder))}")
        for lead in leads:
            allowed = "" if lead in missing else " (allowed)"
            console.print(f"  {printable(lead.shown)}{allowed}\n      {lead.receives}")
    if missing and not yes:
        if json or not sys.stdin.isatty():
            raise UsageError("Nothing was allowed. To allow what is listed without being asked, add --yes.")
        typer.confirm("Allow this?", abort=True)
    if missing:
        book.agree(folder, missing)
    if json:
        print_json({"library": str(folder), "allowed": [lead.shown for lead in leads]})
    elif not leads:
        notes().print("The settings of this library lead to no other machine: there is nothing to allow.")
    elif missing:
        results().print("Allowed. To take it back: litloop trust --revoke")


def _leads(folder: Path) -> list[Lead]:
    from litloop.core.paths import CATALOGUE
    from litloop.core.settings import leads_of_library

    leads = leads_of_library(folder)
    if (folder / CATALOGUE).is_file():
        from litloop.catalogue import Catalogue
        from litloop.components import ENGINE_KEY
        from litloop.core.settings.consent import ENGINE, Lead

        catalogue = Catalogue.open(folder)
        try:
            if url := catalogue.meta(ENGINE_KEY):
                leads.append(Lead(ENGINE, url))
        finally:
            catalogue.close()
    return leads
