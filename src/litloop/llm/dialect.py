"""Dialects: OpenAI-compatible endpoints differ in what they take. Start high, step down when told no, remember."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from litloop.llm.chat import ChatRequest, Message, Shape
from litloop.llm.faults import ModelFault
from litloop.llm.profiles import Endpoint

Format = Literal["schema", "json", "text"]

_LOWER: Mapping[Format, Format] = {"schema": "json", "json": "text"}
_FORMAT_WORDS = re.compile(r"response_format|response format|json|schema|grammar|structured|additionalproperties", re.I)
_OTHER_CAUSE = re.compile(r"context|too long|too large|maximum|exceed|api key|billing|quota|safety|policy", re.I)
_GROQ_WITH_SCHEMA = ("openai/gpt-oss", "moonshotai/kimi-k2", "meta-llama/llama-4")


@dataclass(frozen=True, slots=True)
class Dialect:
    """How one endpoint wants to be asked for one model."""

    format: Format = "schema"
    tokens_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    temperature: bool = True
    stream: bool = True
    stream_shaped: bool = True  # streaming together with a response format
    usage_option: bool = True

    def adapted(self, fault: ModelFault, *, shaped: bool) -> Dialect | None:
        """What to try after a refusal, or None when nothing in it can be met. Every step goes down, so it ends."""
        if fault.kind != "request" and not (fault.kind == "server" and "not implemented" in fault.detail.lower()):
            return None
        words = fault.detail.lower()
        if "stream_options" in words and self.usage_option:
            return replace(self, usage_option=False)
        if "max_completion_tokens" in words and self.tokens_field == "max_tokens":
            return replace(self, tokens_field="max_completion_tokens")
        if "temperature" in words and self.temperature:
            return replace(self, temperature=False)
        if "stream" in words and self.streams(shaped):
            return replace(self, stream_shaped=False) if shaped else replace(self, stream=False, stream_shaped=False)
        if not shaped or self.format == "text":
            return None
        if _FORMAT_WORDS.search(words) or not (words and _OTHER_CAUSE.search(words)):
            return replace(self, format=_LOWER[self.format])
        return None

    def streams(self, shaped: bool) -> bool:
        return self.stream_shaped if shaped and self.format != "text" else self.stream

    def body(self, request: ChatRequest, model: str) -> dict[str, Any]:
        """The JSON body of the call."""
        shaped = request.shape is not None
        body: dict[str, Any] = {
            "model": model,
            "messages": [{"role": message.role, "content": message.content} for message in self.messages(request)],
            self.tokens_field: request.max_tokens,
            "stream": self.streams(shaped),
        }
        if self.temperature:
            body["temperature"] = request.temperature
        if request.stop:
            body["stop"] = list(request.stop)
        if body["stream"] and self.usage_option:
            body["stream_options"] = {"include_usage": True}
        if request.shape and self.format == "schema":
            schema = {"name": request.shape.name, "schema": portable(request.shape.schema), "strict": True}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        elif request.shape and self.format == "json":
            body["response_format"] = {"type": "json_object"}
        return body

    def messages(self, request: ChatRequest) -> list[Message]:
        """The messages as sent. Where the endpoint does not enforce a schema, the prompt must show it."""
        messages = list(request.messages)
        if request.shape is None or self.format == "schema":
            return messages
        rule = _shown_schema(request.shape)
        if messages and messages[0].role == "system":
            return [Message("system", f"{messages[0].content}\n\n{rule}"), *messages[1:]]
        return [Message("system", rule), *messages]


def first_dialect(endpoint: Endpoint, model: str) -> Dialect:
    """Where to begin with an endpoint, so that the usual ones are not asked for what they are known to refuse."""
    if endpoint.profile == "groq":
        # Groq takes schemas for a few models only, and streams neither schemas nor JSON mode.
        return Dialect(format="schema" if model.startswith(_GROQ_WITH_SCHEMA) else "json", stream_shaped=False)
    if endpoint.profile == "openai" and re.match(r"(o\d|gpt-5)", model):
        return Dialect(tokens_field="max_completion_tokens", temperature=False)
    return Dialect()


def portable(schema: Mapping[str, Any]) -> dict[str, Any]:
    """`schema` as strict endpoints want it: references written out, every property required, nothing else allowed,
    no titles and defaults. A schema that refers to itself keeps its references."""
    definitions = schema.get("$defs", {})
    whole: dict[str, Any] = _strict(schema, definitions, ())
    if _refers(whole):
        whole["$defs"] = {name: _strict(part, {}, ()) for name, part in definitions.items()}
    return whole


def _strict(node: Any, definitions: Mapping[str, Any], inside: tuple[str, ...]) -> Any:
    if isinstance(node, list):
        return [_strict(item, definitions, inside) for item in node]
    if not isinstance(node, Mapping):
        return node
    name = str(node.get("$ref", "")).removeprefix("#/$defs/")
    if name in definitions and name not in inside:
        return _strict(definitions[name], definitions, (*inside, name))
    kept = {key: value for key, value in node.items() if key not in {"title", "default", "$defs", "properties"}}
    strict = {key: _strict(value, definitions, inside) for key, value in kept.items()}
    if isinstance(strict.get("additionalProperties"), Mapping):  # an open map, which strict endpoints refuse
        strict["additionalProperties"] = False
        strict["properties"], strict["required"] = {}, []
    if "properties" in node:
        strict["properties"] = {key: _strict(value, definitions, inside) for key, value in node["properties"].items()}
        strict["required"] = list(node["properties"])
        strict["additionalProperties"] = False
    return strict


def _refers(node: Any) -> bool:
    if isinstance(node, Mapping):
        return "$ref" in node or any(_refers(value) for value in node.values())
    return isinstance(node, list) and any(_refers(item) for item in node)


def _shown_schema(shape: Shape) -> str:
    schema = json.dumps(portable(shape.schema), separators=(",", ":"), ensure_ascii=False)
    return f"Answer with one JSON object that fits this JSON schema, and with nothing else:\n{schema}"
