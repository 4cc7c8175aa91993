from __future__ import annotations

import sys
from pathlib import Path

import pytest

from litloop.core.errors import UsageError
from litloop.domains import domain_pack, installed_packs


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A package beside litloop that adds three domains, two of them wrongly."""
    info = tmp_path / "cookpack-0.1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: cookpack\nVersion: 0.1\n")
    named = "cooking = cookpack:PACK\nlost = nowhere_at_all:PACK\nwrong = cookpack:NAME\n"
    (info / "entry_points.txt").write_text(f"[litloop.domains]\n{named}")
    pack = "from litloop.domains.domain_pack import DomainPack\nNAME = 'cooking'\nPACK = DomainPack(NAME, 'Cooking')\n"
    (tmp_path / "cookpack.py").write_text(pack)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield
    sys.modules.pop("cookpack", None)


@pytest.mark.usefixtures("installed")
def test_a_package_adds_a_domain():
    assert domain_pack("cooking").title == "Cooking"


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("lost", "The domain 'lost' is installed but cannot be loaded: No module named 'nowhere_at_all'."),
        ("wrong", "The domain 'wrong' is installed, but cookpack:NAME is no DomainPack."),
        ("none", "There is no domain called 'none'. Known domains: cooking, general, lost, neurology, wrong."),
    ],
)
def test_a_domain_that_cannot_be_used_is_refused_in_a_sentence(name, said):
    with pytest.raises(UsageError) as refused:
        domain_pack(name)
    assert str(refused.value) == said


@pytest.mark.usefixtures("installed")
def test_a_domain_that_cannot_be_loaded_does_not_hide_the_others():
    assert [pack.name for pack in installed_packs()] == ["general", "neurology", "cooking"]
