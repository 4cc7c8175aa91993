"""Research over the live databases: what may be asked, and who can be."""

from __future__ import annotations

from typing import Annotated

from pydantic import ConfigDict, Field, StringConstraints

from litloop.llm.doctor import State
from litloop.server.schemas.asking import QueryRequest
from litloop.server.schemas.base import ResponseModel

ProviderName = Annotated[str, StringConstraints(min_length=1, max_length=60)]


class ResearchBody(QueryRequest):
    """A question to research. Without `providers`, all enabled databases are searched; with `local_only`, none."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"query": "Does physical exercise reduce depression in older adults?", "since": 2015},
                {"query": "What causes scalp angiosarcoma?", "providers": ["openalex", "pubmed"], "keep": True},
            ]
        }
    )

    providers: Annotated[list[ProviderName], Field(max_length=50)] | None = None
    since: Annotated[int, Field(ge=0, le=9999)] | None = Field(None, description="Only papers from this year or later")
    until: Annotated[int, Field(ge=0, le=9999)] | None = None
    keep: bool = Field(False, description="Add the relevant papers to the collection")


class ProviderOut(ResponseModel):
    """A scholarly database. `searched` databases answer queries; the others only look up open copies."""

    name: str
    searched: bool
    enabled: bool
    state: State
    sentence: str


class ProviderList(ResponseModel):
    providers: list[ProviderOut]
