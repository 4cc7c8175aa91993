"""The pack of a collection that named none: topics from `condition` labels where papers carry them."""

from __future__ import annotations

from litloop.domains.domain_pack import DomainPack

PACK = DomainPack(
    name="general",
    title="General literature",
    topic_label="condition",
    boosts=(("rarity", "rare", 1.6),),
    generic_hint="Name what you are looking for: a method, a material, a group of people, an effect or a number.",
)
