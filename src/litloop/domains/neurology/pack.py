"""The neurology pack: labels, boost, answer fields, words for the page, routes and the demo corpus."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from litloop.domains.domain_pack import DomainPack, PageView
from litloop.domains.neurology.name import NAME

if TYPE_CHECKING:
    from fastapi import APIRouter

    from litloop.domains.served_library import ErrorResponses

# A question that names none of these cannot be told from any other in this field.
_SPECIFIC = re.compile(
    r"""(?ix) \b(
      # modality
      pet | fdg | mri | mr | ct | spect | eeg | dti | dat | tracer | amyloid | tau | tspo | scan\w* | imag\w+
      # sign
    | \w*metaboli[sc]\w* | uptake | atroph\w+ | enhanc\w+ | perfusion | lesion\w* | tremor | rigid\w* | aprax\w*
    | aphas\w* | seizure\w* | epilep\w* | ataxi\w* | myoclon\w* | psychos\w* | dyskinesi\w* | hallucinat\w*
    | weakness | gait | falls? | gaze | memory | headache | stroke | dementia | encephal\w* | tumou?r\w*
    | \w*lymphom\w* | angio\w+ | vasculit\w* | angiitis | parkinson\w* | alzheimer\w* | creutzfeldt\w* | palsy
    | sclerosis | syndrome
      # region
    | frontal | temporal | parietal | occipital | insula\w* | thalam\w* | cerebell\w* | striat\w* | putamen | caudate
    | pallid\w* | pallidus | midbrain | brainstem | hippocamp\w* | amygdal\w* | cort(?:ex|ical) | basal\s+ganglia
    | mening\w* | nerves? | scalp
    )\b"""
)


def is_generic(question: str) -> bool:
    """Whether a question names no modality, no sign and no region."""
    return _SPECIFIC.search(question) is None


def routes(error_responses: ErrorResponses) -> APIRouter:
    from litloop.domains.neurology import routes  # only the server has FastAPI

    return routes.routes(error_responses)


PACK = DomainPack(
    name=NAME,
    title="Rare neurological conditions in PET and MRI",
    topic_label="condition",
    boosts=(("rarity", "rare", 1.6),),
    sparse_below=10,
    answer_fields=("imaging_findings", "teaching_point"),
    alternatives="other conditions that the documents make plausible",
    example_questions=(
        "What does FDG-PET show in progressive supranuclear palsy?",
        "What does FDG-PET show in scalp angiosarcoma?",
        "How does Creutzfeldt-Jakob disease look on PET?",
    ),
    generic_hint=(
        "Name a scan, a sign or a region, as in: "
        "midbrain hypometabolism on FDG-PET in a patient with vertical gaze palsy."
    ),
    is_generic=is_generic,
    demo_corpus=Path(__file__).with_name("corpus.jsonl"),
    topics_title="Conditions",
    alternatives_title="Differential diagnoses",
    disclaimer="Reports what papers say. Not advice, and not a diagnosis.",
    search_example="midbrain hypometabolism on FDG-PET",
    views=(PageView("brain", "Brain"),),
    routes=routes,
)
