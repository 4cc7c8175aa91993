"""The table of commands, and what is imported for one of them."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import litloop.cli
from litloop.cli.commands import COMMANDS, commands_of


def test_the_table_names_what_each_module_registers():
    for module, names in COMMANDS.items():
        assert tuple(commands_of(module)) == tuple(names)


def test_every_module_that_registers_commands_is_in_the_table():
    modules = [path.stem for path in Path(litloop.cli.__file__).parent.glob("*.py") if path.stem != "__init__"]
    registering = {name for name in modules if hasattr(import_module(f"litloop.cli.{name}"), "register")}
    assert registering == set(COMMANDS)


def test_a_command_imports_its_own_module_only():
    script = (
        "import sys\nfrom litloop.cli.app import app\n"
        "try:\n    app(['search', '--help'])\nexcept SystemExit:\n    pass\n"
        "print(sorted(m for m in sys.modules if m.startswith(('litloop.cli.', 'rich'))))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = done.stdout.strip().splitlines()[-1]
    assert "litloop.cli.ask" in loaded
    assert "litloop.cli.library" not in loaded
    assert "rich" not in loaded


def test_a_mistyped_command_is_told_its_neighbour():
    done = subprocess.run([sys.executable, "-m", "litloop", "staus"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "Did you mean 'status'" in done.stderr


def test_an_interrupt_is_told_and_ends_with_130():
    script = (
        "import os, signal, sys, time\nimport litloop.cli.library as keeping\nfrom litloop.cli.app import main\n"
        # A run in the background is started deaf to interrupts; and the signal arrives when Python next looks, which
        # the sleep waits for.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "keeping.open_library = lambda library: (os.kill(os.getpid(), signal.SIGINT), time.sleep(30))\n"
        "sys.argv = ['litloop', 'status']\nmain()"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 130
    assert done.stderr == "Interrupted. What was stored so far is safe.\n"


def test_an_interrupt_while_the_command_is_loaded_is_told_like_any_other(tmp_path):
    (tmp_path / "typer.py").write_text("raise KeyboardInterrupt", encoding="utf-8")  # it comes in the middle of this
    paths = [str(tmp_path), *sys.path]
    script = f"import sys\nsys.path[:] = {paths!r}\nfrom litloop.__main__ import main\nmain()"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "Interrupted. What was stored so far is safe.\n")


def test_the_help_says_of_each_command_what_the_command_says_of_itself():
    for module, sentences in COMMANDS.items():
        for name, command in commands_of(module).items():
            paragraph = " ".join(command.help.split("\n\n")[0].split())
            assert sentences[name] == paragraph.partition(". ")[0].rstrip(".") + ".", f"litloop.cli.commands, {name}"


def test_the_help_lists_every_command_without_importing_it():
    script = (
        "import sys\nfrom litloop.cli.app import app\ntry:\n    app(['--help'])\nexcept SystemExit:\n"
        "    print(*(m for m in sys.modules if m.startswith('litloop.cli.')))"
    )
    shown = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    listed, _, loaded = shown.strip().rpartition("\n")
    assert all(f"\n  {name} " in listed for names in COMMANDS.values() for name in names)
    assert set(loaded.split()).isdisjoint(f"litloop.cli.{module}" for module in COMMANDS)
