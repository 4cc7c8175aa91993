"""The things litloop speaks of: papers, texts, passages, hits, evidence, answers.

All frozen: a record is a fact, and a changed fact is a new record. Ids are strings people can read; offsets
are Unicode code points, half-open; scores say their scale where they are produced.
"""

from litloop.core.records.answers import (
    FLAGGED,
    Alternative,
    Answer,
    AnswerItem,
    AnswerSentence,
    AnswerWithEvidence,
    BoundContract,
    Check,
    CheckVerdict,
    Citation,
    EvidenceSpan,
    PaperUse,
    Status,
    evidence_span,
)
from litloop.core.records.hits import (
    Candidate,
    ClosestTopic,
    Hit,
    Judged,
    JudgePath,
    LoopTraceEntry,
    Relevance,
    Source,
    Verdict,
)
from litloop.core.records.model_calls import (
    EgressPath,
    ModelCall,
    Outcome,
)
from litloop.core.records.papers import (
    Anchor,
    Document,
    Form,
    Heading,
    Labels,
    LabelValue,
    Paper,
    Passage,
    Text,
    TextRun,
)

__all__ = [
    "FLAGGED",
    "Alternative",
    "Anchor",
    "Answer",
    "AnswerItem",
    "AnswerSentence",
    "AnswerWithEvidence",
    "BoundContract",
    "Candidate",
    "Check",
    "CheckVerdict",
    "Citation",
    "ClosestTopic",
    "Document",
    "EgressPath",
    "EvidenceSpan",
    "Form",
    "Heading",
    "Hit",
    "JudgePath",
    "Judged",
    "LabelValue",
    "Labels",
    "LoopTraceEntry",
    "ModelCall",
    "Outcome",
    "Paper",
    "PaperUse",
    "Passage",
    "Relevance",
    "Source",
    "Status",
    "Text",
    "TextRun",
    "Verdict",
    "evidence_span",
]
