"""The pack of a collection that named none.

Corpus files that label papers by topic do so, as NeuLitTrace's does, under `condition` and `rarity`; where no paper
carries these labels they mean nothing.
"""

from __future__ import annotations

from litloop.domains.domain_pack import DomainPack

PACK = DomainPack(
    name="general",
    title="General literature",
    topic_label="condition",
    boosts=(("rarity", "rare", 1.6),),
    generic_hint="Name what you are looking for: a method, a material, a group of people, an effect or a number.",
)
