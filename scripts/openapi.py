"""Writes web/openapi.json, from which the page's types are made. `--check` says whether it is current."""

from __future__ import annotations

import json
import sys
from pathlib import Path

TARGET = Path(__file__).resolve().parent.parent / "web" / "openapi.json"


def document() -> str:
    """The server's OpenAPI document. No library is opened."""
    from litloop.server.app import create_app

    return json.dumps(create_app(None).openapi(), indent=1, ensure_ascii=False) + "\n"


def main() -> int:
    if "--check" in sys.argv:
        current = TARGET.is_file() and TARGET.read_text("utf-8") == document()
        if not current:
            print("web/openapi.json is not current: run python scripts/openapi.py")
        return 0 if current else 1
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text(document(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
