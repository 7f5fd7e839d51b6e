"""A document that a run has read, and a model whose answers a test gives."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from projects.models.spec import ModelSpec
from projects.prompts.book import PromptBook, make_shipped_book
from tests.factories import PROJECT, SITE, start_run
from tests.projects.projects import make_project
from tests.pump import Pump
from workflows.providers.language_models.language_model import ChatAnswer, ChatRequest, LanguageModel
from workflows.runs import queries
from workflows.runs.items import Run
from workflows.stages.usage import Usage

NOVA = ModelSpec("bedrock", "Bedrock", "bedrock", "eu.amazon.nova-lite-v1:0", images=True, tools=True, context=99_000)
SAID = {"company": "Alder & Quill Stationers Ltd", "date": "2024-03-12", "total": "510.24"}


def page_arguments(confidence: float = 0.95, **changes: str) -> dict[str, Any]:
    """What the tool for a page is called with: every field of the clean sample."""
    values = {**SAID, **changes}
    fields = {name: {"value": value, "raw": value, "confidence": confidence} for name, value in values.items()}
    return {"description": "An invoice.", "fields": fields}


@dataclass
class FakeChat:
    """The outside world: it gives ``answer(request)`` to every request and remembers them."""

    answer: Callable[[ChatRequest], Any]
    spec: ModelSpec = NOVA
    largest_image: int = 3_750_000
    asked: list[ChatRequest] = field(default_factory=list)

    def ask(self, request: ChatRequest) -> ChatAnswer:
        self.asked.append(request)
        given = self.answer(request)
        used = Usage(self.spec.service, self.spec.model, calls=1, tokens_in=1000, tokens_out=100, ms=500)
        words = given if isinstance(given, str) else ""
        return ChatAnswer(words, None if words else given, given, used)


def make_model(chat: FakeChat, book: PromptBook | None = None) -> LanguageModel:
    return LanguageModel(chat, book or make_shipped_book())


def read_run(pump: Pump, **wanted: Any) -> Run:
    """A run of the clean sample, in a project that is there, that rules have analysed."""
    wanted.setdefault("project_id", make_project().id)
    run = start_run(project=PROJECT, **wanted)
    pump.run(lambda: is_read(run))
    return run


def is_read(run: Run) -> bool:
    """It waits for a person, or has ended."""
    found = queries.project_document(run.site, run.project_id, run.document_id)
    return bool(found.outcome or found.current_step)


__all__ = ["SAID", "SITE", "FakeChat", "make_model", "page_arguments", "read_run"]
