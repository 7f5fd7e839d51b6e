"""Interfaces of the external services that can do a stage's work; the implementations are in ``providers``."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from config.errors import StageFailed
from workflows.stages.document_types.types import RatedType, TypeSpec
from workflows.stages.field_spec import FieldSpec
from workflows.stages.pages.reading import DocumentReading, PageReading
from workflows.stages.usage import Usage


class UnusableAnswer(StageFailed):
    """A model's answer is invalid; the stage falls back to doing without it.

    ``usage``: of every call for it.
    """

    def __init__(self, message: str, *, usage: Sequence[Usage] = ()) -> None:
        super().__init__(message)
        self.usage = tuple(usage)


@dataclass(frozen=True)
class GivenValue:
    """A field as a service read it. ``raw``: the characters as printed. ``confidence``: the service's own, 0–1."""

    name: str
    value: str
    raw: str
    confidence: float


@dataclass(frozen=True)
class PageAnswer:
    """``document_type`` and ``description`` are empty if the model did not give them."""

    fields: tuple[GivenValue, ...]
    description: str = ""
    document_type: str = ""
    entities: tuple[str, ...] = ()


@dataclass(frozen=True)
class PageQuestion:
    """``image``: a PNG, or none. ``prompt``: the project's own instructions; ``alone``: a single-page document."""

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
    """A person's question about a page; ``text`` and ``image``: of the page.

    ``index``: of the page, 0-based. ``number``: of the question about it, from 1; 0 if it is not stored.
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
    """``text``: the pages' descriptions.

    ``prompt`` and ``instruction`` as for a page; ``index``: of the part, 0-based.
    """

    text: str
    language: str = "en"
    prompt: str = ""
    instruction: str = ""
    index: int = 0
    type_id: str = ""  # the classification of the document, if it is known


@dataclass(frozen=True)
class PageInquiryReply:
    """``quote``: the supporting words of the page; empty if there are none."""

    content: str
    quote: str
    model: str
    usage: tuple[Usage, ...]


@dataclass(frozen=True)
class TypeQuestion:
    """Asks which of ``types`` a document has; ``text`` of its first pages, ``image`` of the first: a PNG, or none."""

    text: str
    image: bytes | None
    types: tuple[TypeSpec, ...]
    prompt: str = ""
    language: str = "en"


@dataclass(frozen=True)
class TypeReply:
    """Every type with its share, and that of none; they sum to 1. ``usage``: of every call for it."""

    candidates: tuple[RatedType, ...]
    none: float
    model: str
    usage: tuple[Usage, ...]


@dataclass(frozen=True)
class PageReply:
    """``model``: the one that answered. ``usage``: of every call for it.

    ``problem``: why part of the answer is omitted, or empty.
    """

    answer: PageAnswer
    model: str
    usage: tuple[Usage, ...]
    problem: str = ""


class PageReader(Protocol):
    """An OCR engine that reads a page at a time."""

    @property
    def service(self) -> str: ...

    @property
    def model(self) -> str: ...

    def read(self, image: bytes, index: int, size: tuple[int, int]) -> PageReading:
        """``image``: a PNG of ``size`` pixels. Raises: StageFailed, ProviderPaused."""
        ...


class DocumentReader(Protocol):
    """An OCR service that reads a whole document asynchronously."""

    @property
    def service(self) -> str: ...

    @property
    def model(self) -> str: ...

    def begin(self, fields: Mapping[str, str]) -> str:
        """Return the job's id; idempotent. ``fields``: alias → label, queried on every page."""
        ...

    def look(self, job: str) -> DocumentReading | None:
        """Return None while in progress. Raises: StageFailed, ProviderPaused."""
        ...


class Analyst(Protocol):
    """A model that classifies a document and extracts the fields of a page."""

    def classify(self, question: TypeQuestion) -> TypeReply:
        """Raises: UnusableAnswer; StageFailed if it cannot be used; ProviderPaused."""
        ...

    def read_page(self, question: PageQuestion) -> PageReply:
        """Raises: UnusableAnswer; StageFailed if it cannot be used; ProviderPaused."""
        ...


class Inquirer(Protocol):
    """A model that answers questions about a page."""

    def inquire(self, inquiry: PageInquiry) -> PageInquiryReply:
        """Raises: StageFailed, ProviderPaused."""
        ...


class Writer(Protocol):
    """A model that writes text."""

    def summarize(self, question: SummaryQuestion) -> tuple[str, Usage]:
        """Raises: UnusableAnswer; StageFailed if it cannot be used; ProviderPaused."""
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
    """``score``: the mean confidence of its words, 0–1; ``seconds``: of the recording, up to the last speech."""

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
    """A service that transcribes a recording asynchronously."""

    @property
    def service(self) -> str: ...

    @property
    def model(self) -> str: ...

    def begin(self) -> str:
        """Return the job's id; idempotent."""
        ...

    def look(self, job: str) -> Transcript | None:
        """Return None while in progress. Raises: StageFailed, ProviderPaused."""
        ...


class Automation(Protocol):
    """A service that processes a whole document asynchronously."""

    @property
    def service(self) -> str: ...

    @property
    def model(self) -> str: ...

    def begin(self) -> str: ...

    def look(self, job: str) -> Output | None:
        """Return None while in progress. Raises: StageFailed, ProviderPaused."""
        ...


@dataclass(frozen=True)
class Services:
    """The services that a run's settings choose; None: the stage works locally."""

    page_reader: PageReader | None = None
    document_reader: DocumentReader | None = None
    analyst: Analyst | None = None
    writer: Writer | None = None
    transcriber: Transcriber | None = None
    automation: Automation | None = None


def questions(specs: Sequence[FieldSpec]) -> dict[str, str]:
    """Return the queries for a document reader: alias → label."""
    return {alias(spec.name): spec.label for spec in specs}


def alias(name: str) -> str:
    """Spell a field's name with the few characters that Textract accepts.

    >>> alias("invoice number#2")
    'invoice_number_2'
    """
    return "".join(char if char.isascii() and (char.isalnum() or char in "._-") else "_" for char in name)[:100]
