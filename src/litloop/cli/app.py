"""The `litloop` command: what it offers, and how errors become one sentence and an exit code."""

from __future__ import annotations

import errno
import sys

import typer

from litloop.cli.commands import INTERRUPTED, Commands
from litloop.core.errors import LitloopError

DISK_FAULTS = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EFBIG, errno.EIO})

# Exit codes: 0 done · 1 failed · 2 wrong use · 3 done but partly · 4 no answer · 5 could not answer · 130 interrupted

app = typer.Typer(
    name="litloop",
    cls=Commands,
    # Help without boxes and colours: rich would cost more than half of the time that `--help` takes.
    rich_markup_mode=None,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Answers a question from a literature with sentences you can check, or says that it is not there.",
)


def _version(wanted: bool) -> None:
    if wanted:
        from litloop import __version__

        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def _root(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Show the version."),
    verbose: bool = typer.Option(False, "--verbose", help="Show every log line, with its time and its facts."),
) -> None:
    """Ask a literature."""
    if verbose:
        from litloop.cli.output import be_verbose

        be_verbose()


def main() -> None:
    """Run the command line. No stack trace for an error that could be foreseen."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")
    try:
        app()
    except LitloopError as error:
        typer.echo(str(error), err=True)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        typer.echo("Interrupted. What was stored so far is safe.", err=True)
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output went away (`litloop … | head`): nothing to say to anyone
        sys.exit(0)
    except OSError as error:
        if error.errno not in DISK_FAULTS:
            raise
        where = f"{error.filename}: " if error.filename else ""
        typer.echo(f"This could not be written: {where}{error.strerror}.", err=True)
        sys.exit(1)
