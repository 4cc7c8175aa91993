"""Commands that look back and look after: ledger, doctor, trace, replay."""

from __future__ import annotations

import typer


def register(app: typer.Typer) -> None:
    for command in ():
        app.command()(command)
