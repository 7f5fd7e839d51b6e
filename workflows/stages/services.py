"""The outside services that may do a stage's work, as the stages see them; who they are is settled before."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from config.errors import StageFailed
from workflows.stages.document_types.types import RatedType, TypeSpec
from workflows.stages.field_spec import FieldSpec
from workflows.stages.pages.reading import DocumentReading, PageReading
from workflows.stages.usage import Usage


class UnusableAnswer(StageFailed):
    """A model answered, and nothing of it can be taken: what it is asked for is done without it.

    ``usage``: of every call that was made for it.
    """

    def __init__(self, message: str, *, usage: Sequence[Usage] = ()) -> None:
        super().__init__(message)
        self.usage = tuple(usage)


@dataclass(frozen=True)
class GivenValue:
    """A field as a service read it. ``raw``: the characters as printed. ``confidence``: its own belief, 0–1."""

    name: str
    value: str
    raw: str
    confidence: float


@dataclass(frozen=True)
class PageAnswer:
    """``document_type`` and ``description`` are empty if the model did not say."""

    fields: tuple[GivenValue, ...]
    description: str = ""
    document_type: str = ""
    entities: tuple[str, ...] = ()


@dataclass(frozen=True)
class PageQuestion:
    """``image``: a PNG, or none. ``prompt``: the project's own words; ``alone``: the document has no other page."""

    text: str
    image: bytes | None
    specs: tuple[FieldSpec, ...]
    prompt: str = ""
    instruction: str = ""  # of a person, for this document
    language: str = "en"
    alone: bool = False
    index: int = 0  # of the page
    type_id: str = ""  # the classification of the document, if it is known


@dataclass(frozen=True)
class PageInquiry:
    """What a person asks about a page; ``text`` and ``image``: the page itself.

    ``index``: of the page, 0-based. ``number``: of the question about it, from 1; 0 if it is not kept.
    """

    question: str
    text: str
    image: bytes | None
    language: str = "en"
    prompt: str = ""
    index: int = 0
    number: int = 0
    type_id: str = ""  # the classification of the document, if it is known


@dataclass(frozen=True)
class SummaryQuestion:
    """``text``: what the pages say. ``prompt`` and ``instruction`` as of a page; ``index``: of the part, 0-based."""

    text: str
    language: str = "en"
    prompt: str = ""
    instruction: str = ""
    index: int = 0
    type_id: str = ""  # the classification of the document, if it is known


@dataclass(frozen=True)
class PageInquiryReply:
    """``quote``: the words of the page that say it; empty if there are none."""

    content: str
    quote: str
    model: str
    usage: tuple[Usage, ...]


@dataclass(frozen=True)
class TypeQuestion:
    """Which of ``types`` a document has; ``text`` of its first pages, ``image`` of the first: a PNG, or none."""

    text: str
    image: bytes | None
    types: tuple[TypeSpec, ...]
    prompt: str = ""
    language: str = "en"


@dataclass(frozen=True)
class TypeReply:
    """Every type with its share, and that of none; together 1. ``usage``: of every call that was made for it."""

    candidates: tuple[RatedType, ...]
    none: float
    model: str
    usage: tuple[Usage, ...]


@dataclass(frozen=True)
class PageReply:
    """``model``: the one whose answer this is. ``usage``: of every call that was made for it.

    ``problem``: why some of what the model said is left out; empty if nothing is.
    """

    answer: PageAnswer
    model: str
    usage: tuple[Usage, ...]
    problem: str = ""


class PageReader(Protocol):
    """An OCR engine that reads one page at a time."""

    @property
    def service(self) -> str: ...

    @property
    def model(self) -> str: ...

    def read(self, image: bytes, index: int, size: tuple[int, int]) -> PageReading:
        """``image``: a PNG of ``size`` pixels. Raises: StageFailed, ProviderPaused."""
        ...


class DocumentReader(Protocol):
    """An OCR service that reads a whole document in its own time."""

    @property
    def service(self) -> str: ...

    @property
    def model(self) -> str: ...

    def begin(self, fields: Mapping[str, str]) -> str:
        """The job's id, the same however often it is begun. ``fields``: alias → label, asked for on every page."""
        ...

    def look(self, job: str) -> DocumentReading | None:
        """None while it is under way. Raises: StageFailed, ProviderPaused."""
        ...


class Analyst(Protocol):
    """A model that looks at a document, says what it is, and fills in the fields of a page."""

    def classify(self, question: TypeQuestion) -> TypeReply:
        """Raises: UnusableAnswer; StageFailed: it cannot be asked; ProviderPaused."""
        ...

    def read_page(self, question: PageQuestion) -> PageReply:
        """Raises: UnusableAnswer; StageFailed: it cannot be asked; ProviderPaused."""
        ...


class Inquirer(Protocol):
    """A model that answers what people ask about a page."""

    def inquire(self, inquiry: PageInquiry) -> PageInquiryReply:
        """Raises: StageFailed, ProviderPaused."""
        ...


class Writer(Protocol):
    """A model that writes a text."""

    def summarize(self, question: SummaryQuestion) -> tuple[str, Usage]:
        """Raises: UnusableAnswer; StageFailed: it cannot be asked; ProviderPaused."""
        ...


@dataclass(frozen=True)
class Utterance:
    """``start`` and ``end`` in seconds."""

    id: int
    text: str
    start: float
    end: float


@dataclass(frozen=True)
class Transcript:
    """``score``: the mean confidence of its words, 0–1; ``seconds`` of the recording as far as someone spoke."""

    text: str
    utterances: tuple[Utterance, ...]
    language: str
    score: float
    seconds: float


@dataclass(frozen=True)
class Chapter:
    """A part of a recording; times as SMPTE codes, as Data Automation writes them."""

    text: str
    start: str
    end: str


@dataclass(frozen=True)
class Output:
    """``pages``: 0-based index → Markdown."""

    pages: Mapping[int, str]
    summary: str = ""
    chapters: tuple[Chapter, ...] = ()


class Transcriber(Protocol):
    """A service that writes down a recording in its own time."""

    @property
    def service(self) -> str: ...

    @property
    def model(self) -> str: ...

    def begin(self) -> str:
        """The job's id, the same however often it is begun."""
        ...

    def look(self, job: str) -> Transcript | None:
        """None while it is under way. Raises: StageFailed, ProviderPaused."""
        ...


class Automation(Protocol):
    """A service that reads a whole document its own way, in its own time."""

    @property
    def service(self) -> str: ...

    @property
    def model(self) -> str: ...

    def begin(self) -> str: ...

    def look(self, job: str) -> Output | None:
        """None while it is under way. Raises: StageFailed, ProviderPaused."""
        ...


@dataclass(frozen=True)
class Services:
    """What a run's settings choose, ready to be asked; None: the stage does the work on this machine."""

    page_reader: PageReader | None = None
    document_reader: DocumentReader | None = None
    analyst: Analyst | None = None
    writer: Writer | None = None
    transcriber: Transcriber | None = None
    automation: Automation | None = None


def questions(specs: Sequence[FieldSpec]) -> dict[str, str]:
    """What a document reader is asked: alias → label."""
    return {alias(spec.name): spec.label for spec in specs}


def alias(name: str) -> str:
    """A field's name spelled with the few characters that Textract takes.

    >>> alias("invoice number#2")
    'invoice_number_2'
    """
    return "".join(char if char.isascii() and (char.isalnum() or char in "._-") else "_" for char in name)[:100]
