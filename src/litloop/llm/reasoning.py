"""Reasoning in replies: what a model thought aloud is taken out, and what it quotes is left alone.

Models mark their reasoning with tags, and the chat template of some opens the tag for them, so that only its end is
sent. A paper may speak of the same tags, and then they stand in a quote: tags within the strings of a JSON object,
and those that a sentence speaks of, are text.
"""

from __future__ import annotations

import re

_NAMES = "think|thinking|thoughts?|reasoning|reflection|analysis|scratchpad|inner_monologue"
# As Qwen, DeepSeek, Seed and others write them; Mistral; Kimi; Sky-T1; Command; MedGemma; gpt-oss (harmony).
_OPENING = (
    rf"<(?:\w{{1,16}}:)?(?:{_NAMES})(?:\s[^<>]{{0,80}})?>|\[THINK\]|◁think▷|<\|begin_of_thought\|>|<\|START_THINKING\|>"
    r"|<unused94>|<\|channel\|>(?:analysis|commentary)[^<]{0,80}<\|message\|>"
)
_CLOSING = (
    rf"</(?:\w{{1,16}}:)?(?:{_NAMES})\s?>|\[/THINK\]|◁/think▷|<\|end_of_thought\|>|<\|END_THINKING\|>|<unused95>"
    r"|<\|channel\|>final[^<]{0,80}<\|message\|>"
)
# What frames an answer after the reasoning: it carries nothing.
_FRAME = r"<\|(?:end|start|return|begin_of_solution|end_of_solution|START_RESPONSE|END_RESPONSE)\|>"
_TOKEN = re.compile(
    rf"(?P<opening>{_OPENING})|(?P<closing>{_CLOSING})|(?P<frame>{_FRAME})|(?P<object>\{{(?=\s{{0,100}}[\"}}]))|(?P<bracket>[\[{{\]}}])"
    r'|(?P<quote>")',
    re.IGNORECASE,
)
_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"?', re.DOTALL)
# "between <think> and </think> before": a tag within a sentence is spoken of, not used.
_BEFORE, _AFTER = re.compile(r"\w \Z"), re.compile(r" [a-z]")


def without_reasoning(text: str) -> str:
    """`text` without the model's thinking aloud. An opening tag that is never closed takes the rest with it; a closing
    tag that was never opened (the chat template opened it) takes what stands before. Linear time."""
    kept: list[str] = []
    position, at, depth, inside = 0, 0, 0, False
    while token := _TOKEN.search(text, at):
        at = token.end()
        if token["opening"] or token["closing"]:
            if not inside and _spoken_of(text, token):
                continue
            depth = 0
            if token["closing"]:
                if not inside:
                    kept.clear()
                position, inside = at, False
            elif not inside:
                kept.append(text[position : token.start()])
                inside = True
        elif inside:
            continue
        elif token["frame"]:
            kept.append(text[position : token.start()])
            position = at
        else:
            depth, at = _within_object(text, token, depth)
    if not inside:
        kept.append(text[position:])
    return "".join(kept).strip()


def _within_object(text: str, token: re.Match[str], depth: int) -> tuple[int, int]:
    """How deep in an object the text is after a bracket or a string, and where to go on: behind the string."""
    if token["object"] or (depth and token["bracket"] in ("[", "{")):
        return depth + 1, token.end()
    if depth and token["quote"]:
        string = _STRING.match(text, token.start())
        return depth, string.end() if string else token.end()
    return max(0, depth - 1) if token["bracket"] else depth, token.end()


def _spoken_of(text: str, tag: re.Match[str]) -> bool:
    before = _BEFORE.search(text[max(0, tag.start() - 2) : tag.start()])
    return bool(before and _AFTER.match(text, tag.end()))
