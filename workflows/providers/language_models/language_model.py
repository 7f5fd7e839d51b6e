"""The language model of stages: prompts are rendered, answers constrained by a schema and validated.

If the first model's answer is invalid even after a correction, or not confident enough, the takeover model is called
instead. Both are metered.
"""

import dataclasses
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from config.errors import CountersignError, StageFailed
from config.phrase import Sentence
from projects.models.spec import ModelSpec, cost_of
from projects.prompts.book import PinnedPrompt, PromptBook
from projects.prompts.prompt import RenderedPrompt, mark_content, render, uses_placeholder
from workflows.providers.language_models import answer_tool, answers, typing_tool
from workflows.providers.language_models.answers import Problems
from workflows.providers.language_models.context_window import estimate_tokens, fit_prompt
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
    UnusableAnswer,
)
from workflows.stages.usage import Note, Usage, ignore_usage, sum_usage

T = TypeVar("T")
_MAX_TEXT = 60_000  # characters of a page's text; the image has the rest
_NO_TEXT = "(no text was read)"
_UNUSABLE = Sentence("The model's answer cannot be used, even after asking again.")
_NO_ANSWER = "It did not answer."
_UNREADABLE = "Its answer cannot be read."
CONTEXT_EXCEEDED = "ContextExceeded"  # the code of a StageFailed: fewer tokens may be accepted
CUT_OFF = Sentence(
    "The answer was cut off: it needs more tokens than this model may write. Raise its longest answer, or choose "
    "another model."
)
_FRAME = 100  # tokens of the framing of instructions and message
_IMAGE = 1600  # tokens of an image
_TOLD = {"fields": "The fields:", "types": "The types:"}  # placeholders of the content of an answer's schema
_TRIES = 2  # the second includes the problems of the first


@dataclass(frozen=True)
class ChatRequest:
    """``tool``: its name, description and inputSchema, as Bedrock's toolSpec; None for free text.

    ``most``: maximum tokens of the answer. ``refused``: invalid answers, each with the reason.
    """

    prompt: RenderedPrompt
    most: int
    image: bytes | None = None
    tool: Mapping[str, Any] | None = None
    refused: tuple[tuple["ChatAnswer", str], ...] = ()


@dataclass(frozen=True)
class ChatAnswer:
    """``arguments``: of the tool call, None if there was none. ``turn``: in the service's own format.

    ``sent_temperature``: False if the model does not support it.
    """

    text: str
    arguments: Any
    turn: Any
    usage: Usage
    stopped: str = ""  # the message for people, if the answer is incomplete
    sent_temperature: bool = True


class Chat(Protocol):
    """A chat with a model, at any service."""

    @property
    def spec(self) -> ModelSpec: ...

    @property
    def largest_image(self) -> int:
        """Size in bytes; a larger image is omitted, and only the text is sent."""
        ...

    def ask(self, request: ChatRequest) -> ChatAnswer:
        """Raises: StageFailed, ProviderPaused."""
        ...


def measure_call(spec: ModelSpec, *, tokens_in: int, tokens_out: int, began: float) -> Usage:
    """Return the usage of a request. ``began``: of the monotonic clock, in seconds."""
    micros = round(cost_of(spec, tokens_in, tokens_out) * 1_000_000) if spec.has_price else None
    ms = round((time.monotonic() - began) * 1000)
    return Usage(spec.service, spec.model, 0, 1, tokens_in, tokens_out, ms, micros)


@dataclass(frozen=True)
class ModelCall:
    """One request and its answer, None if there was none. ``problem``: why it was invalid.

    ``index``: of the page or part, 0-based. ``number``: of a person's question about the page, from 1; otherwise 0.
    ``left_out``: characters of the document's text omitted to fit the context window. ``corrections``: the problems of
    earlier answers, which were sent with it.
    """

    purpose: str
    index: int
    number: int
    prompt: RenderedPrompt
    pinned: PinnedPrompt
    spec: ModelSpec
    with_image: bool
    answer: Any
    problem: str
    usage: Usage
    left_out: int = 0
    sent_temperature: bool = True
    corrections: tuple[str, ...] = ()

    @property
    def model(self) -> str:
        return self.spec.model


Record = Callable[[Sequence[ModelCall]], None]


def record_nothing(_calls: Sequence[ModelCall]) -> None:
    """The default for requests outside of a run."""


@dataclass(frozen=True)
class LanguageModel:
    """``chat`` is called first; ``takeover``, if any, if it is less confident than its spec requires.

    ``note`` receives the usage of every answered call, even if the answer is invalid, and of every page. ``record``
    receives all calls of a request once it has ended in any way. ``examples``: few-shot examples from other documents.
    """

    chat: Chat
    prompts: PromptBook
    takeover: Chat | None = None
    note: Note = ignore_usage
    record: Record = record_nothing
    examples: str = ""

    @property
    def enough(self) -> float:
        return self.chat.spec.takeover_below

    def read_page(self, question: PageQuestion) -> PageReply:
        """Extract the fields of a page.

        Raises:
            UnusableAnswer: no model gave a valid answer.
            StageFailed: the service refuses the request.
            ProviderPaused: the service does not answer.

        """
        values = {
            "page_text": _mark("page_text", question.text),
            "fields": _list_fields(question.specs),
            "examples": mark_content("examples", self.examples) if self.examples else "",
            "language": language_name(question.language),
            "project_instructions": question.prompt,
            "document_instructions": question.instruction,
        }
        tool = answers.page_answer_schema(question.specs)
        with self._open_question(
            "extract", question.index, values, 4000, image=question.image, tool=tool, type_id=question.type_id
        ) as asked:
            found, model, problem = self._ask_both(
                asked,
                lambda given: answers.check_page_answer(given, question.specs),
                lambda one: is_unsure(one, question, self.enough),
            )
        self.note(Usage(model.service, model.model, pages=1))
        return PageReply(found, model.model, asked.usage, problem)

    def classify(self, question: TypeQuestion) -> TypeReply:
        """Determine the document type.

        Raises:
            UnusableAnswer: no model gave a valid answer.
            StageFailed: the service refuses the request.
            ProviderPaused: the service does not answer.

        """
        values = {
            "document_text": _mark("document_text", question.text),
            "types": _list_types(question.types),
            "language": language_name(question.language),
            "project_instructions": question.prompt,
        }
        tool = typing_tool.type_answer_schema(question.types)
        with self._open_question("classify", 0, values, 500, image=question.image, tool=tool) as asked:
            found, model, _ = self._ask_both(
                asked,
                lambda given: typing_tool.check_type_answer(given, question.types),
                lambda one: max(rated.confidence for rated in one) < self.enough,
            )
        shares = {one.id: one.confidence for one in found}
        return TypeReply(tuple(one for one in found if one.id != OWN), shares[OWN], model.model, asked.usage)

    def inquire(self, inquiry: PageInquiry) -> PageInquiryReply:
        """Answer a question by the first model only, as there is no confidence for a takeover.

        Raises:
            UnusableAnswer: it gave no valid answer.
            StageFailed: the service refuses the request.
            ProviderPaused: the service does not answer.

        """
        values = {
            "page_text": _mark("page_text", inquiry.text),
            "question": mark_content("question", inquiry.question),
            "language": language_name(inquiry.language),
            "project_instructions": inquiry.prompt,
        }
        with self._open_question(
            "answer",
            inquiry.index,
            values,
            2000,
            image=inquiry.image,
            tool=answer_tool.SCHEMA,
            number=inquiry.number,
            type_id=inquiry.type_id,
        ) as asked:
            found = asked.ask(self.chat, answer_tool.check_recorded_answer)
        if isinstance(found, Problems):
            raise UnusableAnswer(f"{_UNUSABLE} {found}", usage=asked.usage)
        return PageInquiryReply(found.answer, found.quote, self.chat.spec.model, asked.usage)

    def summarize(self, question: SummaryQuestion) -> tuple[str, Usage]:
        """Summarize a text.

        Raises:
            UnusableAnswer: the model wrote nothing.
            StageFailed: the service refuses the request.
            ProviderPaused: the service does not answer.

        """
        values = {
            # The whole text: there is no image for what a cut would remove, and its end counts as much as its
            # beginning.
            "document_text": mark_content("document_text", question.text or _NO_TEXT),
            "language": language_name(question.language),
            "project_instructions": question.prompt,
            "document_instructions": question.instruction,
        }
        with self._open_question("summarize", question.index, values, 2000, type_id=question.type_id) as asked:
            text = asked.ask(self.chat, _check_words)
        if isinstance(text, Problems):
            raise UnusableAnswer(
                "The model returned nothing. Re-run the document or select another model.", usage=asked.usage
            )
        (used,) = sum_usage(asked.usage)
        return text, used

    @contextmanager
    def _open_question(
        self, purpose: str, index: int, values: Mapping[str, str], most: int, *, image: bytes | None = None,
        tool: Mapping[str, Any] | None = None, number: int = 0, type_id: str = "",
    ) -> Iterator["_Question"]:  # fmt: skip
        """Open a request whose calls are recorded however it ends."""
        asked = _Question(self, self.prompts.find(purpose, type_id), purpose, index, number, values, image, tool, most)
        try:
            yield asked
        finally:
            self.record(asked.calls)

    def _ask_both(
        self, asked: "_Question", check: Callable[[Any], T | Problems], doubts: Callable[[T], bool]
    ) -> tuple[T, ModelSpec, str]:
        """Return the answer, the model that gave it, and why it is incomplete, or an empty text."""
        found, model = asked.ask(self.chat, check), self.chat.spec
        if self.takeover and (isinstance(found, Problems) or doubts(found)):
            second = asked.ask(self.takeover, check)
            if not isinstance(second, Problems) or (isinstance(found, Problems) and second.rest is not None):
                found, model = second, self.takeover.spec
        if not isinstance(found, Problems):
            return found, model, ""
        if found.rest is None:
            raise UnusableAnswer(f"{_UNUSABLE} {found}", usage=asked.usage)
        return found.rest, model, str(found)


@dataclass(frozen=True)
class _Question:
    """The same request to one or two models, and the calls so far."""

    by: LanguageModel
    pinned: PinnedPrompt
    purpose: str
    index: int
    number: int
    values: Mapping[str, str]
    image: bytes | None
    tool: Mapping[str, Any] | None
    most: int
    calls: list[ModelCall] = field(default_factory=list)

    @property
    def usage(self) -> tuple[Usage, ...]:
        return tuple(one.usage for one in self.calls)

    def ask(self, chat: Chat, check: Callable[[Any], T | Problems]) -> T | Problems:
        """Raises: StageFailed, ProviderPaused."""
        for smaller in (1, 2):  # token counts are estimates until the model was called
            try:
                return self._ask_within(chat, chat.spec.context // smaller, check)
            except StageFailed as error:
                if error.code != CONTEXT_EXCEEDED:
                    raise
        return self._ask_within(chat, chat.spec.context // 4, check)

    def _ask_within(self, chat: Chat, context: int, check: Callable[[Any], T | Problems]) -> T | Problems:
        request, left_out = self._fit(chat, context)
        found: T | Problems = Problems((_NO_ANSWER,))
        for _ in range(_TRIES if self.tool else 1):
            answer = self._call(chat, request, left_out)
            found = self._check(answer, check)
            problem = str(found) if isinstance(found, Problems) else ""
            self._amend_call(problem=problem)
            if not problem:
                break
            request = dataclasses.replace(request, refused=(*request.refused, (answer, problem)))
        return found

    def _fit(self, chat: Chat, context: int) -> tuple[ChatRequest, int]:
        """Return the request within this model's context window, and the number of characters omitted."""
        spec = chat.spec
        image = self.image if self.image and spec.images and len(self.image) <= chat.largest_image else None
        most = min(self.most, spec.most_tokens, context // 2)
        room = context - most - _FRAME - (_IMAGE if image else 0)
        if self.tool:
            room -= estimate_tokens(json.dumps(self.tool))
        prompt, left_out = fit_prompt(self._render_for(spec), room)
        return ChatRequest(prompt, most, image, self.tool), left_out

    def _render_for(self, spec: ModelSpec) -> RenderedPrompt:
        """Servers that constrain decoding never show the schema to the model: the prompt then describes it."""
        prompt = self.pinned.prompt
        rendered = render(prompt, self.values)
        if not spec.json_schema:
            return rendered
        lacking = {name: self.values.get(name) for name in _TOLD if not uses_placeholder(prompt, name)}
        told = [f"{_TOLD[name]}\n{words}" for name, words in lacking.items() if words]
        return RenderedPrompt("\n\n".join([rendered.instructions, *told]), rendered.message)

    def _call(self, chat: Chat, request: ChatRequest, left_out: int) -> ChatAnswer:
        """Raises: StageFailed, ProviderPaused."""
        spec, pinned = chat.spec, self.pinned
        call = ModelCall(
            self.purpose, self.index, self.number, request.prompt, pinned, spec, with_image=bool(request.image),
            answer=None, problem=_NO_ANSWER, usage=Usage(spec.service, spec.model), left_out=left_out,
            corrections=tuple(describe_correction(problem) for _, problem in request.refused),
        )  # fmt: skip
        self.calls.append(call)  # before the call, so that it is recorded whatever is raised
        try:
            answer = chat.ask(request)
        except CountersignError as error:
            self._amend_call(problem=str(error))
            raise
        given = answer.text if answer.arguments is None else answer.arguments
        self._amend_call(
            answer=given,
            usage=answer.usage,
            problem=answer.stopped or _UNREADABLE,
            sent_temperature=answer.sent_temperature,
        )
        self.by.note(answer.usage)  # first: it is paid for, valid or not
        if answer.stopped:
            raise UnusableAnswer(answer.stopped, usage=self.usage)
        return answer

    def _amend_call(self, **changes: Any) -> None:
        self.calls[-1] = dataclasses.replace(self.calls[-1], **changes)

    def _check(self, answer: ChatAnswer, check: Callable[[Any], T | Problems]) -> T | Problems:
        if self.tool is None:
            return check(answer.text)
        if answer.arguments is None:
            return Problems((f"Call the tool {self.tool['name']}.",))
        return check(answer.arguments)


def is_unsure(found: PageAnswer, question: PageQuestion, enough: float) -> bool:
    """Return True if a field is below ``enough``; a required missing one counts if no other page can have it."""
    if any(one.confidence < enough for one in found.fields):
        return True
    given = {one.name for one in found.fields}
    return question.alone and any(spec.required and spec.name not in given for spec in question.specs)


def describe_correction(problem: str) -> str:
    """Return the message to the model about an invalid answer."""
    return f"This cannot be recorded. {problem} Correct it and call the tool once more."


def _check_words(given: Any) -> str | Problems:
    return str(given or "").strip() or Problems(("It returned nothing.",))


def _mark(tag: str, text: str) -> str:
    return mark_content(tag, text[:_MAX_TEXT] or _NO_TEXT)


def _list_fields(specs: Sequence[FieldSpec]) -> str:
    return "\n".join(f"- {spec.name}: {spec.label} ({spec.type}){spec.told and f'. {spec.told}'}" for spec in specs)


def _list_types(types: Sequence[TypeSpec]) -> str:
    return "\n".join(f"- {one.id}: {typing_tool.describe_type(one)}" for one in types)
