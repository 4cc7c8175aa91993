"""Rare neurological conditions in PET and MRI: the field of NeuLitTrace.

`corpus.jsonl` holds facts about 141 published papers (PMID, title, condition, rarity, regions, atlas labels) and
a summary of each that was written for litloop.
"""

from litloop.domains.neurology.pack import PACK

__all__ = ["PACK"]
