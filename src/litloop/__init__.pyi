"""What `litloop` gives, for editors and type checkers. The same names as in `__init__.py`."""

from litloop.catalogue import (
    Collection as Collection,
)
from litloop.catalogue import (
    SourceFile as SourceFile,
)
from litloop.catalogue import (
    StoredPassage as StoredPassage,
)
from litloop.core.choices import (
    BoostForm as BoostForm,
)
from litloop.core.choices import (
    Fusion as Fusion,
)
from litloop.core.choices import (
    QueryKind as QueryKind,
)
from litloop.core.choices import (
    SearchMode as SearchMode,
)
from litloop.core.errors import (
    BudgetExceeded as BudgetExceeded,
)
from litloop.core.errors import (
    DamagedLibrary as DamagedLibrary,
)
from litloop.core.errors import (
    EmbedderMismatch as EmbedderMismatch,
)
from litloop.core.errors import (
    LibraryError as LibraryError,
)
from litloop.core.errors import (
    LitloopError as LitloopError,
)
from litloop.core.errors import (
    MissingExtra as MissingExtra,
)
from litloop.core.errors import (
    ModelError as ModelError,
)
from litloop.core.errors import (
    NotALibrary as NotALibrary,
)
from litloop.core.errors import (
    SettingsError as SettingsError,
)
from litloop.core.errors import (
    SourceError as SourceError,
)
from litloop.core.errors import (
    StorageFull as StorageFull,
)
from litloop.core.errors import (
    UsageError as UsageError,
)
from litloop.core.errors import (
    WriterBusy as WriterBusy,
)
from litloop.core.events import (
    Event as Event,
)
from litloop.core.events import (
    EventType as EventType,
)
from litloop.core.events import (
    read_trace as read_trace,
)
from litloop.core.filters import (
    Filters as Filters,
)
from litloop.core.records import (
    Alternative as Alternative,
)
from litloop.core.records import (
    Anchor as Anchor,
)
from litloop.core.records import (
    Answer as Answer,
)
from litloop.core.records import (
    AnswerItem as AnswerItem,
)
from litloop.core.records import (
    AnswerSentence as AnswerSentence,
)
from litloop.core.records import (
    AnswerWithEvidence as AnswerWithEvidence,
)
from litloop.core.records import (
    Check as Check,
)
from litloop.core.records import (
    CheckVerdict as CheckVerdict,
)
from litloop.core.records import (
    Citation as Citation,
)
from litloop.core.records import (
    ClosestTopic as ClosestTopic,
)
from litloop.core.records import (
    Document as Document,
)
from litloop.core.records import (
    EvidenceSpan as EvidenceSpan,
)
from litloop.core.records import (
    Heading as Heading,
)
from litloop.core.records import (
    Hit as Hit,
)
from litloop.core.records import (
    LoopTraceEntry as LoopTraceEntry,
)
from litloop.core.records import (
    ModelCall as ModelCall,
)
from litloop.core.records import (
    Paper as Paper,
)
from litloop.core.records import (
    PaperUse as PaperUse,
)
from litloop.core.records import (
    Passage as Passage,
)
from litloop.core.records import (
    Relevance as Relevance,
)
from litloop.core.records import (
    Status as Status,
)
from litloop.core.records import (
    Text as Text,
)
from litloop.core.records import (
    TextRun as TextRun,
)
from litloop.core.records import (
    Verdict as Verdict,
)
from litloop.core.requests import (
    AskRequest as AskRequest,
)
from litloop.core.requests import (
    ResearchRequest as ResearchRequest,
)
from litloop.core.requests import (
    SearchRequest as SearchRequest,
)
from litloop.core.settings import (
    Settings as Settings,
)
from litloop.core.settings import (
    load_settings as load_settings,
)
from litloop.embedding.protocol import (
    Embedder as Embedder,
)
from litloop.embedding.protocol import (
    Tokenizer as Tokenizer,
)
from litloop.index.indexer import (
    IndexReport as IndexReport,
)
from litloop.ingest import (
    AddProgress as AddProgress,
)
from litloop.ingest import (
    AddReport as AddReport,
)
from litloop.library import (
    Library as Library,
)
from litloop.llm.chat import (
    ChatModel as ChatModel,
)
from litloop.llm.chat import (
    ChatResult as ChatResult,
)
from litloop.llm.chat import (
    Message as Message,
)
from litloop.maintenance.migration import (
    MigrationReport as MigrationReport,
)
from litloop.maintenance.status import (
    LibraryStatus as LibraryStatus,
)
from litloop.papers.works import (
    Work as Work,
)
from litloop.reading import (
    Problem as Problem,
)
from litloop.reading import (
    Reader as Reader,
)
from litloop.reading import (
    ReadingLimits as ReadingLimits,
)
from litloop.reading import (
    ReadResult as ReadResult,
)
from litloop.retrieval.reranking import (
    Reranker as Reranker,
)
from litloop.retrieval.response import (
    SearchResponse as SearchResponse,
)
from litloop.retrieval.response import (
    Synthesis as Synthesis,
)
from litloop.scholarly.protocol import (
    Provider as Provider,
)
from litloop.scholarly.protocol import (
    ProviderReply as ProviderReply,
)
from litloop.scholarly.protocol import (
    ScholarlyQuery as ScholarlyQuery,
)

__version__: str
