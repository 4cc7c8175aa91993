"""`python -m litloop`: the same as the `litloop` command."""

from litloop.cli.app import main

if __name__ == "__main__":
    main()
