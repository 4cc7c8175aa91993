"""The `litloop` command, also as `python -m litloop`. Light, so that Ctrl-C is understood while the rest is loaded."""

import sys


def main() -> None:
    """Run the command line."""
    try:
        from litloop.cli.app import main as run
    except KeyboardInterrupt:
        sys.stderr.write("Interrupted. What was stored so far is safe.\n")
        sys.exit(130)
    run()


if __name__ == "__main__":
    main()
