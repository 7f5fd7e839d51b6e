"""A language model that does the work of stages: prompts are rendered, answers are bound to a schema and checked.

A cheaper model is asked first. If its answer cannot be taken even after it was told why, or is not sure enough, a
stronger one is asked in its place. Both are metered.
"""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from config.errors import StageFailed
from projects.prompts.book import PinnedPrompt, PromptBook
from projects.prompts.prompt import RenderedPrompt, mark_content, render
from workflows.providers import answer_tool, answers, typing_tool
from workflows.providers.answers import Problems
from workflows.stages.document_types.types import OWN, TypeSpec
from workflows.stages.field_spec import FieldSpec
from workflows.stages.models.languages import language_name
from workflows.stages.services import (
    PageAnswer,
    PageInquiry,
    PageInquiryReply,
    PageQuestion,
    PageReply,
    SummaryQuestion,
    TypeQuestion,
    TypeReply,
)
from workflows.stages.usage import Note, Usage, ignore_usage

T = TypeVar("T")
_MAX_TEXT = 60_000  # characters of a page's text; the image says the rest
_NO_TEXT = "(no text was read)"
_UNUSABLE = "The model's answer cannot be used, also when asked again."
_TRIES = 2  # the second is told what was wrong with the first


@dataclass(frozen=True)
class ChatRequest:
    """``tool``: its name, description and inputSchema, as Bedrock's toolSpec; None for free text.

    ``most``: tokens of the answer. ``refused``: answers that could not be taken, each with the reason.
    """

    prompt: RenderedPrompt
    most: int
    image: bytes | None = None
    tool: Mapping[str, Any] | None = None
    refused: tuple[tuple["ChatAnswer", str], ...] = ()


@dataclass(frozen=True)
class ChatAnswer:
    """``arguments``: what the tool was called with, None if it was not. ``turn``: as the service wrote it."""

    text: str
    arguments: Any
    turn: Any
    usage: Usage
    filtered: str = ""  # the sentence for people, if a filter of the service stopped the answer


class Chat(Protocol):
    """A service that models are asked at."""

    @property
    def service(self) -> str: ...

    def ask(self, model: str, request: ChatRequest) -> ChatAnswer:
        """Raises: StageFailed, ProviderPaused."""
        ...


@dataclass(frozen=True)
class ModelCall:
    """One request and its answer. ``index``: of the page or part, 0-based. ``problem``: why it was not taken."""

    purpose: str
    index: int
    prompt: RenderedPrompt
    pinned: PinnedPrompt
    model: str
    with_image: bool
    answer: Any
    problem: str
    usage: Usage


Record = Callable[[Sequence[ModelCall]], None]


def record_nothing(_calls: Sequence[ModelCall]) -> None:
    """For questions that belong to no run."""


@dataclass(frozen=True)
class LanguageModel:
    """``model`` is asked first, ``strong`` below ``enough`` confidence; empty: no other model takes over.

    ``note`` is given every call that was answered, and every page, also if the answer cannot be taken. ``record`` is
    given all calls of a question once it is settled.
    """

    chat: Chat
    model: str
    prompts: PromptBook
    strong: str = ""
    enough: float = 0.7  # seed 001
    note: Note = ignore_usage
    record: Record = record_nothing

    def read_page(self, question: PageQuestion) -> PageReply:
        """
        Raises:
            StageFailed: no model gave an answer that can be taken.
            ProviderPaused: the service does not answer.

        """
        values = {
            "page_text": _mark("page_text", question.text),
            "fields": _list_fields(question.specs),
            "language": language_name(question.language),
            "project_instructions": question.prompt,
            "document_instructions": question.instruction,
        }
        asked = _Question(
            self, "extract", question.index, values, question.image, answers.page_answer_schema(question.specs), 4000
        )
        found, model, usage = self._ask_both(
            asked,
            lambda given: answers.check_page_answer(given, question.specs),
            lambda one: is_unsure(one, question, self.enough),
        )
        self.note(Usage(self.chat.service, model, pages=1))
        return PageReply(found, model, usage)

    def classify(self, question: TypeQuestion) -> TypeReply:
        """
        Raises:
            StageFailed: no model gave an answer that can be taken.
            ProviderPaused: the service does not answer.

        """
        values = {
            "document_text": _mark("document_text", question.text),
            "types": _list_types(question.types),
            "language": language_name(question.language),
            "project_instructions": question.prompt,
        }
        asked = _Question(
            self, "classify", 0, values, question.image, typing_tool.type_answer_schema(question.types), 500
        )
        found, model, usage = self._ask_both(
            asked,
            lambda given: typing_tool.check_type_answer(given, question.types),
            lambda one: max(rated.confidence for rated in one) < self.enough,
        )
        shares = {one.id: one.confidence for one in found}
        return TypeReply(tuple(one for one in found if one.id != OWN), shares[OWN], model, usage)

    def inquire(self, inquiry: PageInquiry) -> PageInquiryReply:
        """Asks the first model only: it gives no confidence at which another could take over.

        Raises:
            StageFailed: it gave no answer that can be taken.
            ProviderPaused: the service does not answer.

        """
        values = {
            "page_text": _mark("page_text", inquiry.text),
            "question": mark_content("question", inquiry.question),
            "language": language_name(inquiry.language),
            "project_instructions": inquiry.prompt,
        }
        asked = _Question(self, "answer", 0, values, inquiry.image, answer_tool.SCHEMA, 2000)
        found, calls = asked.ask(self.model, answer_tool.check_recorded_answer)
        if isinstance(found, Problems):
            raise StageFailed(f"{_UNUSABLE} {found}", code="BadAnswer")
        return PageInquiryReply(found.answer, found.quote, self.model, tuple(one.usage for one in calls))

    def summarize(self, question: SummaryQuestion) -> tuple[str, Usage]:
        """
        Raises:
            StageFailed: the model wrote nothing.
            ProviderPaused: the service does not answer.

        """
        values = {
            "document_text": _mark("document_text", question.text),
            "language": language_name(question.language),
            "project_instructions": question.prompt,
            "document_instructions": question.instruction,
        }
        asked = _Question(self, "summarize", question.index, values, None, None, 2000)
        text, (call,) = asked.ask(self.model, lambda given: str(given or "").strip())
        self.record((call,))
        if isinstance(text, Problems) or not text:
            raise StageFailed("The model returned nothing. Re-run the document or select another model.", code="Empty")
        return text, call.usage

    def _ask_both(
        self, asked: "_Question", check: Callable[[Any], T | Problems], doubts: Callable[[T], bool]
    ) -> tuple[T, str, tuple[Usage, ...]]:
        """The answer, the model that gave it, and what both used."""
        found, calls = asked.ask(self.model, check)
        model = self.model
        try:
            if self.strong and (isinstance(found, Problems) or doubts(found)):
                second, more = asked.ask(self.strong, check)
                calls += more
                if not isinstance(second, Problems):
                    found, model = second, self.strong
        finally:
            self.record(calls)
        if isinstance(found, Problems):
            raise StageFailed(f"{_UNUSABLE} {found}", code="BadAnswer")
        return found, model, tuple(one.usage for one in calls)


@dataclass(frozen=True)
class _Question:
    """What one model or two are asked with the same words."""

    by: LanguageModel
    purpose: str
    index: int
    values: Mapping[str, str]
    image: bytes | None
    tool: Mapping[str, Any] | None
    most: int

    def ask(self, model: str, check: Callable[[Any], T | Problems]) -> tuple[T | Problems, tuple[ModelCall, ...]]:
        pinned = self.by.prompts[self.purpose]
        request = ChatRequest(render(pinned.prompt, self.values), self.most, self.image, self.tool)
        calls: tuple[ModelCall, ...] = ()
        found: T | Problems = Problems(("It did not answer.",))
        for _ in range(_TRIES if self.tool else 1):
            answer = self.by.chat.ask(model, request)
            self.by.note(answer.usage)  # first: it is paid for, whatever becomes of it
            if answer.filtered:
                raise StageFailed(answer.filtered, code="Filtered")
            found = self._check(answer, check)
            problem = str(found) if isinstance(found, Problems) else ""
            given = answer.text if answer.arguments is None else answer.arguments
            calls += (
                ModelCall(
                    self.purpose, self.index, request.prompt, pinned, model, bool(self.image), given, problem,
                    answer.usage,
                ),
            )  # fmt: skip
            if not problem:
                break
            request = dataclasses.replace(request, refused=(*request.refused, (answer, problem)))
        return found, calls

    def _check(self, answer: ChatAnswer, check: Callable[[Any], T | Problems]) -> T | Problems:
        if self.tool is None:
            return check(answer.text)
        if answer.arguments is None:
            return Problems((f"Call the tool {self.tool['name']}.",))
        return check(answer.arguments)


def is_unsure(found: PageAnswer, question: PageQuestion, enough: float) -> bool:
    """Whether a field is below ``enough``; one that is required and missing counts if no other page can have it."""
    if any(one.confidence < enough for one in found.fields):
        return True
    given = {one.name for one in found.fields}
    return question.alone and any(spec.required and spec.name not in given for spec in question.specs)


def describe_correction(problem: str) -> str:
    """What a model is told of an answer that cannot be taken."""
    return f"This cannot be recorded. {problem} Correct it and call the tool once more."


def _mark(tag: str, text: str) -> str:
    return mark_content(tag, text[:_MAX_TEXT] or _NO_TEXT)


def _list_fields(specs: Sequence[FieldSpec]) -> str:
    return "\n".join(f"- {spec.name}: {spec.label} ({spec.type})" for spec in specs)


def _list_types(types: Sequence[TypeSpec]) -> str:
    return "\n".join(f"- {one.id}: {one.name}" for one in types)
