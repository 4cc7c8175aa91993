"""HyDE and paraphrases as part of a method under evaluation: by a model when one is to be asked, else without."""

from __future__ import annotations

from litloop.core.errors import UsageError
from litloop.core.portal import Portal, in_thread
from litloop.core.records import Judged, ModelCall
from litloop.core.settings import Settings
from litloop.evaluation.collections import CollectionQuestion
from litloop.evaluation.methods import Expanding
from litloop.evaluation.targets import Target
from litloop.llm.model_request import RunContext
from litloop.llm.router import LLMRouter
from litloop.loop.hyde import Expansion, HydeJudge
from litloop.loop.paraphrase import ParaphraseJudge
from litloop.question import parse
from litloop.retrieval.plan import RetrievalPlan, WeightedQuery


class Expander:
    """Writes what is searched beside a question. Without a model the first hits lend their words.

    A model that fails is never replaced in silence: the question counts as failed.
    """

    def __init__(self, target: Target, settings: Settings, *, model: bool = False) -> None:
        """Raises UsageError when a model is wanted and none is set up."""
        self.tokens = 0
        self.model: str | None = None  # that wrote, once one has
        self._target = target
        self._weight = settings.search.expansion_weight
        self._portal = Portal()
        self._router = LLMRouter.build(settings).bind(RunContext(run_id="eval", on_call=self._note)) if model else None
        if self._router is not None and self._router.offline:
            raise UsageError("No model is set up. Run `litloop doctor`, or leave out --model.")

    def expanded(self, plan: RetrievalPlan, kind: Expanding, question: CollectionQuestion) -> RetrievalPlan:
        """`plan` with the expansion. A keyword question is not paraphrased, as in a search. Raises RuntimeError when
        the model failed."""
        if kind == "paraphrase" and (question.kind or parse(question.text).query_kind) == "keyword":
            return plan
        judged = self._portal.call(self._ask(kind, question.text))
        if judged is None:
            return plan
        if judged.degraded:
            raise RuntimeError(judged.degraded)
        return plan.with_queries(judged.value.queries, self._weight)

    def close(self) -> None:
        if self._router is not None:
            self._portal.call(self._router.aclose())
        self._portal.close()

    async def _ask(self, kind: Expanding, text: str) -> Judged[Expansion] | None:
        if kind == "hyde":
            model = self._router.model_for("hyde") if self._router else None
            return await HydeJudge(model, self._moved).expand(text, None)
        model = self._router.model_for("paraphrase") if self._router else None
        return await ParaphraseJudge(model, self._rephrased).expand(text, None)

    async def _moved(self, text: str) -> WeightedQuery | None:
        return await in_thread(lambda: self._target.moved(text))

    async def _rephrased(self, text: str) -> tuple[str, ...]:
        return await in_thread(lambda: self._target.rephrased(text))

    def _note(self, call: ModelCall) -> None:
        self.tokens += call.prompt_tokens + call.completion_tokens
        self.model = f"{call.provider}/{call.model}"
