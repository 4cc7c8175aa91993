"""What notes say beside a record: ids that had no field."""

from __future__ import annotations

import re

_IN_NOTES = {
    "pmid": re.compile(r"\bPMID:?\s*(\d{1,8})\b", re.IGNORECASE),
    "pmcid": re.compile(r"\bPMCID:?\s*(PMC\d{1,9})\b", re.IGNORECASE),
    "arxiv": re.compile(r"\barXiv:\s*([\w./-]+?)(?:v\d+)?(?=[\s,;\]]|$)", re.IGNORECASE),
    "doi": re.compile(r"\bDOI:?\s*(10\.\d{4,9}/\S+)", re.IGNORECASE),
}


def ids_in(notes: str) -> dict[str, str]:
    """Ids that a reference manager had no field for and put among the notes, as in "PMID: 123"."""
    return {kind: match.group(1) for kind, pattern in _IN_NOTES.items() if (match := pattern.search(notes))}
