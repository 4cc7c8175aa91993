"""The labelled parts of a structured abstract ("SETTING: …", "RESULTS: …"), and which of them tell what was found."""

from __future__ import annotations

import re
from collections.abc import Sequence

from litloop.extractive.passage_sentences import PassageSentence

_LABEL = re.compile(r"([A-Z][A-Za-z]*(?:(?:, | ?[/&] ?| )[A-Za-z]+){0,5}):\s")
_WORD = re.compile(r"[a-z]+")
# What a study set out to do, where, on whom and how. The labels are those of the structured abstracts of MEDLINE.
_ASIDE = re.compile(
    r"aims?|analysis|background|context|data|design|eligibility|evidence|exposures?|funding|goals?|hypothesis|importance|"
    r"interventions?|introduction|level|materials?|measure(?:s|ments?)?|method(?:s|ology)?|objectives?|outcomes?|"
    r"participants?|patients?|population|purpose|question|rationale|registration|sample|selection|settings?|sources?|"
    r"subjects?|trial|type"
)
_FOUND = re.compile(
    r"conclusions?|discussion|findings?|implications|interpretation|messages?|points|relevance|results?|significance|"
    r"summary|synthesis"
)
_JOINING = re.compile(r"and|of|the|main|key|study")


def tell_findings(sentences: Sequence[PassageSentence]) -> list[bool]:
    """Whether each sentence stands outside the parts that tell no finding. Takes sentences in their order.

    A label holds until the next one of its passage; text without labels is all taken for findings.
    """
    told: list[bool] = []
    place, finding = -1, True
    for sentence in sentences:
        if sentence.place != place:
            place, finding = sentence.place, True
        if label := _LABEL.match(sentence.text):
            finding = names_findings(label[1], before=finding)
        told.append(finding)
    return told


def names_findings(label: str, *, before: bool = True) -> bool:
    """Whether a part of that label tells findings. One that is no label leaves it at what was told `before`."""
    words = [word for word in _WORD.findall(label.lower()) if not _JOINING.fullmatch(word)]
    known = [word for word in words if _ASIDE.fullmatch(word) or _FOUND.fullmatch(word)]
    if words and len(known) == len(words):
        return any(_FOUND.fullmatch(word) for word in words)  # "METHODS AND RESULTS" tells findings too
    return label.isupper() or before  # capitals that are not known begin something new
