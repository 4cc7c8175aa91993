from pydantic import BaseModel

from litloop.llm.chat import ChatRequest, Message, Shape
from litloop.llm.dialect import Dialect, first_dialect, portable
from litloop.llm.faults import ModelFault
from litloop.llm.profiles import Endpoint

SHAPED = ChatRequest(
    (Message("system", "Judge."), Message("user", "hi")), "relevance", 50, shape=Shape("V", {"type": "object"})
)
PLAIN = ChatRequest((Message("user", "hi"),), "extract", 50, stop=("END",))


class Item(BaseModel):
    id: str
    why: str = "none"


class Items(BaseModel):
    title: str
    results: list[Item]


class Tree(BaseModel):
    name: str
    children: list["Tree"] = []


def refusal(words):
    return ModelFault("request", words, detail=words)


def test_a_schema_is_asked_for_first_then_json_then_text():
    dialect = Dialect()
    assert dialect.body(SHAPED, "m")["response_format"]["type"] == "json_schema"
    dialect = dialect.adapted(refusal("response_format json_schema is not supported"), shaped=True)
    assert dialect.body(SHAPED, "m")["response_format"] == {"type": "json_object"}
    dialect = dialect.adapted(refusal("Invalid response_format"), shaped=True)
    assert "response_format" not in dialect.body(SHAPED, "m")
    assert dialect.adapted(refusal("response_format"), shaped=True) is None


def test_where_no_schema_is_enforced_the_prompt_shows_it():
    body = Dialect(format="json").body(SHAPED, "m")
    assert body["messages"][0]["content"].startswith("Judge.\n\nAnswer with one JSON object")
    body = Dialect(format="text").body(ChatRequest((Message("user", "hi"),), "t", 5, shape=SHAPED.shape), "m")
    assert [message["role"] for message in body["messages"]] == ["system", "user"]


def test_a_schema_that_is_enforced_is_not_paid_for_twice():
    assert Dialect().body(SHAPED, "m")["messages"][0]["content"] == "Judge."


def test_a_refusal_for_another_cause_does_not_give_up_the_schema():
    assert Dialect().adapted(refusal("This model's maximum context length is 4096 tokens"), shaped=True) is None


def test_a_refusal_without_words_is_taken_for_one_of_the_format():
    assert Dialect().adapted(refusal(""), shaped=True).format == "json"


def test_a_fault_that_is_no_refusal_changes_nothing():
    assert Dialect().adapted(ModelFault("server", "failed", retry=True, detail="json"), shaped=True) is None


def test_newer_models_get_their_own_name_for_the_limit():
    dialect = Dialect().adapted(
        refusal("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."), shaped=False
    )
    assert dialect.body(PLAIN, "m")["max_completion_tokens"] == 50
    assert "max_tokens" not in dialect.body(PLAIN, "m")


def test_a_model_without_temperature_is_asked_without_it():
    dialect = Dialect().adapted(refusal("'temperature' does not support 0"), shaped=False)
    assert "temperature" not in dialect.body(PLAIN, "m")


def test_stream_options_and_streaming_are_given_up_one_after_the_other():
    dialect = Dialect().adapted(refusal("unknown field stream_options"), shaped=False)
    assert "stream_options" not in dialect.body(PLAIN, "m")
    assert dialect.body(PLAIN, "m")["stream"] is True
    dialect = dialect.adapted(refusal("streaming is not supported"), shaped=False)
    assert dialect.body(PLAIN, "m")["stream"] is False


def test_a_server_that_streams_text_but_not_json_keeps_streaming_text():
    dialect = Dialect().adapted(refusal("cannot stream with response_format"), shaped=True)
    assert dialect.body(SHAPED, "m")["stream"] is False
    assert dialect.body(PLAIN, "m")["stream"] is True


def test_groq_is_not_asked_for_what_it_is_known_to_refuse():
    groq = Endpoint("groq", "https://api.groq.com/openai/v1", "")
    small = first_dialect(groq, "llama-3.1-8b-instant").body(SHAPED, "llama-3.1-8b-instant")
    assert small["response_format"] == {"type": "json_object"}
    assert small["stream"] is False
    assert first_dialect(groq, "openai/gpt-oss-20b").format == "schema"


def test_reasoning_models_of_openai_are_asked_their_way_at_once():
    dialect = first_dialect(Endpoint("openai", "https://api.openai.com/v1", ""), "gpt-5-mini")
    assert dialect.tokens_field == "max_completion_tokens"
    assert not dialect.temperature


def test_a_portable_schema_has_no_references_and_requires_everything():
    schema = portable(Items.model_json_schema())
    assert schema == {
        "type": "object",
        "properties": {
            "title": {"type": "string"},
            "results": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {"id": {"type": "string"}, "why": {"type": "string"}},
                    "required": ["id", "why"],
                    "additionalProperties": False,
                },
            },
        },
        "required": ["title", "results"],
        "additionalProperties": False,
    }


def test_a_schema_that_refers_to_itself_keeps_its_reference():
    schema = portable(Tree.model_json_schema())
    assert "Tree" in schema["$defs"]
    assert schema["$defs"]["Tree"]["additionalProperties"] is False


def test_stop_words_are_passed_on():
    assert Dialect().body(PLAIN, "m")["stop"] == ["END"]
