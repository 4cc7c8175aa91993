"""What was measured and did not help: selectable, off by default, and free to change or go between versions.

`late_interaction`: reranking by the embedder's own token vectors. On questions not looked at +.003 of nDCG@10
[-.005, +.010], at .9 CPU seconds a question.
`learned_fusion`, `fusion_learners`: a fusion fitted to judged questions. On collections it has not seen -.001 to -.006,
on its own within chance.

The figures, and what was tried and deleted, are in `docs/experiments.md`. Nothing below the library imports this room.
"""
