"""Which module holds which command. A command that runs imports its own module only; help imports all of them.

A new command: a module with `register(app)`, and its name in `COMMANDS`.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperGroup
from typer.main import get_group

from litloop.cli.streams import OutputClosed, output_closed

if TYPE_CHECKING:
    # typer brings its own click since 0.26; the class is the same under either name.
    Command = Any

INTERRUPTED = 130  # exit code
# A module of `litloop.cli`, with the names that its `register(app)` adds, in the order of the help.
COMMANDS: Mapping[str, tuple[str, ...]] = {
    "library": ("init", "add", "remove", "status", "verify", "reindex"),
    "export": ("export",),
    "ask": ("search", "ask", "parse", "demo"),
    "research": ("research",),
    "runs": ("ledger", "doctor", "trace", "replay"),
    "evaluation": ("eval",),
    "migrate": ("migrate",),
    "serve": ("serve",),
}


class Commands(TyperGroup):
    """The commands of `COMMANDS`, each made when it is first asked for."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:  # which typer would end without a word
            if output_closed():  # where there are no signals between threads, it arrives as this
                raise OutputClosed from None
            tell_interrupted()
            raise typer.Exit(INTERRUPTED) from None
        except BrokenPipeError:  # of a file that the command writes; typer would call it a failure
            raise OutputClosed from None

    def list_commands(self, ctx: Any) -> list[str]:
        return [name for names in COMMANDS.values() for name in names]

    def get_command(self, ctx: Any, cmd_name: str) -> Command | None:
        holders = [module for module, names in COMMANDS.items() if cmd_name in names]
        # A name nobody has is compared with all there are: "did you mean" reads `self.commands`.
        for module in holders or COMMANDS:
            if not set(COMMANDS[module]) <= set(self.commands):
                self.commands.update(commands_of(module))
        return self.commands.get(cmd_name)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Each command's first sentence, whole: click itself would cut it in the middle."""
        commands = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl([(name, _first_sentence(command)) for name, command in commands])


def tell_interrupted() -> None:
    with suppress(OutputClosed):  # Ctrl-C ends the other programs of a pipe as well
        typer.echo("Interrupted. What was stored so far is safe.", err=True)


def commands_of(module: str) -> dict[str, Command]:
    """What a module registers, by name."""
    part = typer.Typer(rich_markup_mode=None)
    import_module(f"litloop.cli.{module}").register(part)
    return dict(get_group(part).commands)


def _first_sentence(command: Any) -> str:
    paragraph = " ".join((command.help or "").strip().split("\n\n")[0].split())
    return paragraph.partition(". ")[0].rstrip(".") + "."
