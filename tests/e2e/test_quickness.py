"""What must stay light: the import, the help, and what they load."""

from __future__ import annotations

import subprocess
import sys

HEAVY = (
    "numpy",
    "openvino",
    "faiss",
    "tantivy",
    "openai",
    "pydantic",
    "pypdfium2",
    "docx",
    "lxml",
    "tokenizers",
    "onnxruntime",
)


def loaded_by(code: str) -> set[str]:
    script = f"import sys\n{code}\nprint(' '.join(m for m in {HEAVY!r} if m in sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_importing_litloop_loads_nothing_heavy():
    assert loaded_by("import litloop") == set()


def test_the_command_line_loads_nothing_heavy_until_a_command_runs():
    assert loaded_by("import litloop.cli.app") == set()


def test_help_is_shown_without_what_draws_tables_and_without_an_event_loop():
    shown = (
        "from litloop.cli.app import app\ntry:\n    app(['--help'])\nexcept SystemExit:\n    print()\n"
        "sys.exit(bool({'rich', 'asyncio'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", f"import sys\n{shown}"], check=False).returncode == 0
