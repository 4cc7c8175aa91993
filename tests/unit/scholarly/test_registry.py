from __future__ import annotations

import sys
from pathlib import Path

import pytest

from litloop.core.errors import UsageError
from litloop.core.settings import ProviderSettings
from litloop.net.service import Facts, service_of
from litloop.scholarly import registry
from litloop.scholarly.openalex import OpenAlex
from litloop.scholarly.protocol import ScholarlyQuery
from litloop.scholarly.provider import searchable
from support.scholarly_world import SIX, scholarly_settings, way_out

PLUGIN = """
from litloop.scholarly.provider import HttpProvider, Page
from litloop.net.service import Facts
from litloop.scholarly.protocol import ProviderReply, Work


class Shelf(HttpProvider):
    facts = Facts("shelf", "The shelf", "https://shelf.example", 1.0)

    async def _search(self, call, query):
        return Page([Work("shelf", f"On {query.text}")], 1)

    async def _by(self, call, kind, values):
        return []


class Drawer:
    name = "drawer"

    async def search(self, query):
        return ProviderReply("drawer", (Work("drawer", "In the drawer"),))

    async def by_ids(self, ids):
        return ProviderReply("drawer")


def open_drawer(transport, settings):
    return Drawer()
"""


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package of somebody else with two providers."""
    (tmp_path / "shelves_of_another.py").write_text(PLUGIN, encoding="utf-8")
    about = tmp_path / "shelves-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: shelves\nVersion: 1.0\n", encoding="utf-8")
    points = "[litloop.providers]\nshelf = shelves_of_another:Shelf\ndrawer = shelves_of_another:open_drawer\n"
    (about / "entry_points.txt").write_text(points, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield
    sys.modules.pop("shelves_of_another", None)


def test_six_databases_are_searched_and_unpaywall_only_by_doi():
    assert registry.searched_providers(scholarly_settings()) == list(SIX)
    assert registry.known_providers() == [*SIX, "unpaywall"]
    with pytest.raises(UsageError, match="cannot be searched"):
        registry.searched_providers(scholarly_settings(), ["unpaywall"])


def test_a_provider_that_is_switched_off_is_asked_only_by_name():
    settings = scholarly_settings(arxiv={"enabled": False})
    assert "arxiv" not in registry.searched_providers(settings)
    assert registry.searched_providers(settings, ["arXiv", "Semantic-Scholar", "s2"]) == ["arxiv", "semantic_scholar"]


def test_an_unknown_provider_is_named_with_those_there_are():
    with pytest.raises(UsageError, match=r"no provider called 'pubmd'.*pubmed"):
        registry.searched_providers(scholarly_settings(), ["pubmd"])


@pytest.mark.anyio
@pytest.mark.usefixtures("installed")
async def test_providers_of_installed_packages_stand_beside_our_own():
    settings = scholarly_settings(others={"shelf": {"min_interval_s": 0}})
    assert registry.searched_providers(settings) == [*SIX, "drawer", "shelf"]
    async with way_out(settings) as transport:
        shelf, drawer = registry.make_providers(["shelf", "drawer"], settings, transport)
        assert (await shelf.search(ScholarlyQuery("myelin"))).works[0].title == "On myelin"
        assert (await drawer.search(ScholarlyQuery("myelin"))).works[0].title == "In the drawer"
    assert registry.service_named("shelf", settings).interval_s == 0
    assert registry.service_named("drawer", settings) is None


def service(**values):
    own = {name: values.pop(name) for name in ("base_url", "api_key", "min_interval_s") if name in values}
    facts = Facts("x", "X", "https://x.example/api/v1", 1.0, 0.1, key_parameter="key")
    return service_of(facts, ProviderSettings(**own), scholarly_settings(**values))


def test_a_key_earns_the_shorter_pause_and_a_setting_beats_both():
    assert service().interval_s == 1.0
    assert service(api_key="k-0123456789").interval_s == 0.1
    assert service(api_key="k-0123456789", min_interval_s=7).interval_s == 7


def test_an_address_in_crossref_earns_the_polite_pool():
    pauses = [
        registry.service_named("crossref", scholarly_settings(mailto=m)).interval_s for m in (None, "a@b.example")
    ]
    assert pauses == [0.2, 0.1]


def test_a_bare_host_keeps_the_usual_path_and_a_full_address_its_own():
    assert service(base_url="http://127.0.0.1:81").base_url == "http://127.0.0.1:81/api/v1"
    assert service(base_url="http://127.0.0.1:81/mirror/").base_url == "http://127.0.0.1:81/mirror"


def test_limits_count_by_place_and_key_without_showing_the_key():
    keyed = service(api_key="k-0123456789")
    assert keyed.who != service().who != service(base_url="https://y.example").who
    assert "k-0123456789" not in keyed.who + repr(keyed)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("What does FDG-PET show in palsy?", "FDG-PET show palsy"),
        ('Déjà vu (temporal) "lobe" AND [x]:{y}', "Déjà vu temporal lobe x y"),
        ("e\u0301tude", "étude"),
        ("how and why?", ""),
        ("\x00\n", ""),
        ("p53/MDM2 β-amyloid 髓鞘", "p53 MDM2 β-amyloid 髓鞘"),
    ],
)
def test_a_query_is_its_content_words(asked, words):
    assert searchable(asked) == words


def test_every_adapter_has_a_label_for_its_sentences():
    labels = {registry.service_named(name, scholarly_settings()).label for name in registry.known_providers()}
    assert OpenAlex.facts.label in labels
    assert len(labels) == 7
