"""A scholarly world on loopback: a server that speaks the databases' request and response shapes over a local corpus.

For tests, benchmarks and the offline demo: a whole research run is exercised as a user would, without the network.

    with scholarly_world(papers) as world:
        settings = load_settings(scholarly=world.settings())
"""

from __future__ import annotations

from litloop.testing.scholarly_world.server import ScholarlyWorld, scholarly_world
from litloop.testing.scholarly_world.trouble import InjectedFault

__all__ = ["InjectedFault", "ScholarlyWorld", "scholarly_world"]
