"""The asked subject: how much of what a question is about does the title of a paper not name?

A question of another field that shares the method of a collection ("lung nodule FDG-PET" asked of neurology) is near
in meaning to its papers, and its words of method stand in all of them. What gives it away are the words that name its
subject: the collection hardly holds them, and no paper has them in its title.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from litloop.text.idf import idf

# Chosen on the development half of `benchmarks/quality/same_method.py`, on judged questions of Cranfield, CISI and
# PubMedQA beside it.
RARE_SHARE, RARE_PASSAGES = 0.005, 3  # of the passages, but at least so many: a word in no more of them is rare
LEAST_PASSAGES = 50  # in fewer every word is rare
MOST_WORDS = 15  # a longer question names much beside its subject


def rare_subject_mass(naming: Collection[str], frequency: Mapping[str, int], count: int) -> dict[str, float]:
    """The rare among a question's naming terms, each with its share (0-1) of the IDF of all of them.

    `frequency` says in how many of the collection's `count` passages each term occurs. Empty where that tells nothing.
    """
    terms = set(naming)
    if count < LEAST_PASSAGES or not 0 < len(terms) <= MOST_WORDS:
        return {}
    weight = {term: idf(frequency.get(term, 0), count) for term in terms}
    total = sum(weight.values())
    most = max(RARE_PASSAGES, RARE_SHARE * count)
    return {term: weight[term] / total for term in sorted(terms) if frequency.get(term, 0) <= most}


def untitled_share(rare: Mapping[str, float], title: Collection[str]) -> float:
    """The share (0-1) of the asked subject that a paper's title, as terms, does not name."""
    return sum(share for term, share in rare.items() if term not in title)
