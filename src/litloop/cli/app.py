"""The `litloop` command: what it offers, and how errors become one sentence and an exit code."""

from __future__ import annotations

import errno
import sys

import typer

from litloop.cli.commands import INTERRUPTED, Commands, tell_interrupted
from litloop.cli.streams import CLOSED, flush_output, output_closed, watch_output
from litloop.core.errors import LitloopError

DISK_FAULTS = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EFBIG, errno.EIO})

# Exit codes: 0 done · 1 failed · 2 wrong use · 3 done but partly · 4 no answer · 5 could not answer · 130 interrupted
# 141 whoever read the output went away

app = typer.Typer(
    name="litloop",
    cls=Commands,
    # Help without boxes and colours: rich would cost more than half of the time that `--help` takes.
    rich_markup_mode=None,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Answers questions from a collection of papers. Every sentence cites a passage that you can check.",
)


def _version(wanted: bool) -> None:
    if wanted:
        from litloop import __version__

        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def _root(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Show the version."),
    verbose: bool = typer.Option(False, "--verbose", help="Show every log line, with its time and its details."),
) -> None:
    """Answer questions from a collection of papers."""
    if verbose:
        from litloop.cli.output import be_verbose

        be_verbose()


def main() -> None:
    """Run the command line. No stack trace for an error that could be foreseen."""
    watch_output()
    try:
        code = _run()
        flush_output()
    except SystemExit as end:  # the output was closed, or could not say why the command failed
        code = end.code
    except OSError as error:
        code = _not_written(error)
    # A command whose last lines nobody took has not done its work, whatever it found.
    sys.exit(CLOSED if output_closed() and code != INTERRUPTED else code)


def _run() -> str | int | None:
    try:
        app()
    except SystemExit as end:  # how every command ends
        return end.code
    except LitloopError as error:
        typer.echo(str(error), err=True)
        return error.exit_code
    except KeyboardInterrupt:
        tell_interrupted()
        return INTERRUPTED
    except OSError as error:
        return _not_written(error)
    return 0


def _not_written(error: OSError) -> int:
    if error.errno not in DISK_FAULTS:
        raise error
    where = f"{error.filename}: " if error.filename else ""
    typer.echo(f"This could not be written: {where}{error.strerror}.", err=True)
    return 1
