"""Which module holds which command. A command that runs imports its own module only, and help imports none.

A new command: a module with `register(app)`, and its name with a sentence in `COMMANDS`.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperGroup
from typer.main import get_group

from litloop.cli.option_values import plain_fault
from litloop.cli.streams import OutputClosed, output_closed

if TYPE_CHECKING:
    # typer brings its own click since 0.26; the class is the same under either name.
    Command = Any

INTERRUPTED = 130  # exit code
# A module of `litloop.cli`, with the commands that its `register(app)` adds, in the order of the help, and the first
# sentence of each. It is here as well as in the command, so that help is shown without importing every command.
COMMANDS: Mapping[str, Mapping[str, str]] = {
    "library": {
        "init": "Create an empty library.",
        "add": "Add papers to a library.",
        "remove": "Remove papers from a library.",
        "status": "Show what a library holds, and which files were skipped and why.",
        "verify": "Check that the index and the vectors match the catalogue, passage by passage.",
        "reindex": "Rebuild passages and vectors from the stored texts, with the current settings.",
    },
    "export": {"export": "Export a collection, or the papers that an answer cites."},
    "ask": {
        "search": "Search for passages.",
        "ask": "Answer a question from the papers of a library, citing a passage for every sentence.",
        "parse": "Show how a question is understood, by which rules, and how it would be answered.",
        "demo": "Index a demo library and ask it three questions.",
    },
    "research": {"research": "Answer a question from scholarly databases and the library together."},
    "runs": {
        "ledger": "Show how many tokens language models used, and what they cost.",
        "doctor": "Check the setup (keys, models, library, disk, databases) and tell you how to fix it.",
        "trace": "Show the steps of a recorded run.",
        "replay": "Repeat the decisions of a recorded run without a model, a network or passages, "
        "and show differences.",
    },
    "evaluation": {"eval": "Measure retrieval, on test collections or on questions about your own papers."},
    "trust": {"trust": "Let a library's own settings lead to other machines, after showing you which."},
    "migrate": {"migrate": "Move the index of a library to another engine, without embedding anything again."},
    "serve": {"serve": "Serve a library as a web page and over HTTP, until you press Ctrl-C."},
}


class Commands(TyperGroup):
    """The commands of `COMMANDS`, each made when it is first asked for."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except typer.BadParameter as error:
            error.message = plain_fault(error.message)
            raise
        except KeyboardInterrupt:  # which typer would end without a word
            if output_closed():  # where there are no signals between threads, it arrives as this
                raise OutputClosed from None
            tell_interrupted()
            raise typer.Exit(INTERRUPTED) from None
        except BrokenPipeError:  # of a file that the command writes; typer would call it a failure
            raise OutputClosed from None

    def list_commands(self, ctx: Any) -> list[str]:
        return [name for commands in COMMANDS.values() for name in commands]

    def get_command(self, ctx: Any, cmd_name: str) -> Command | None:
        holders = [module for module, commands in COMMANDS.items() if cmd_name in commands]
        # A name nobody has is compared with all there are: "did you mean" reads `self.commands`.
        for module in holders or COMMANDS:
            if not set(COMMANDS[module]) <= set(self.commands):
                self.commands.update(commands_of(module))
        return self.commands.get(cmd_name)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Each command's first sentence, whole: click itself would cut it in the middle."""
        with formatter.section("Commands"):
            formatter.write_dl([row for commands in COMMANDS.values() for row in commands.items()])


def tell_interrupted() -> None:
    with suppress(OutputClosed):  # Ctrl-C ends the other programs of a pipe as well
        typer.echo("Interrupted. What was stored so far is safe.", err=True)


def commands_of(module: str) -> dict[str, Command]:
    """What a module registers, by name."""
    part = typer.Typer(rich_markup_mode=None)
    import_module(f"litloop.cli.{module}").register(part)
    return dict(get_group(part).commands)
