"""Whether a page can be used by everyone, as axe-core judges it."""

from __future__ import annotations

from playwright.sync_api import Page
from scripts.page import WEB

AXE = WEB / "node_modules" / "axe-core" / "axe.min.js"


def serious(page: Page) -> list[str]:
    """Violations of WCAG A and AA that axe-core calls serious or critical."""
    # Run through the debugger: the page's own policy lets no other script in.
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run({runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']})")
    return [
        f"{violation['id']}: {node['html'][:200]}"
        for violation in found["violations"]
        if violation["impact"] in ("serious", "critical")
        for node in violation["nodes"]
    ]
