"""Puts the web page into every wheel and sdist: built from `web/` where Node is there, or as it was laid in beforehand.

Without the page a wheel is still complete but for `litloop serve`'s page, which then says how to get it. So a machine
without Node or without npm's registry builds a wheel with a warning (`pip install -v` shows it), not an error.
`BUILD_PAGE=0` leaves the page as it is. An editable install never builds: `make page` does.
"""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

INDEX = Path("src", "litloop", "server", "static", "index.html")


class PageHook(BuildHookInterface[Any]):
    """Called by hatchling before it collects the files."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        root = Path(self.root)
        if version == "editable":
            return
        fault = ""
        if os.environ.get("BUILD_PAGE") != "0" and (root / "web" / "package.json").is_file():  # an sdist has no web/
            fault = _build(root)
        if not (root / INDEX).is_file():
            self.app.display_warning(f"This package carries no web page. {fault}".rstrip())
        elif fault:
            self.app.display_warning(f"This package carries a web page that is not current. {fault}")


def _build(root: Path) -> str:
    """Build the page unless it is current. Why it could not be built, or nothing."""
    page = _page_script(root)
    try:
        page.ensure_page()
    except page.NotBuilt as reason:
        return str(reason)
    return ""


def _page_script(root: Path) -> ModuleType:
    """scripts/page.py, which is no package here."""
    spec = importlib.util.spec_from_file_location("page", root / "scripts" / "page.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
