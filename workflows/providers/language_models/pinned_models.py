"""The language models that a run pinned, by purpose."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from config.errors import NotFound, StageFailed
from projects.prompts.book import PromptBook
from projects.prompts.prompt import uses_placeholder
from projects.settings.values import BY_MODEL
from workflows.learning.examples import read_examples
from workflows.providers.language_models import factory, model_calls
from workflows.providers.language_models.language_model import LanguageModel
from workflows.runs import pinned_prompts
from workflows.runs.items import Run
from workflows.runs.run_files import files_of
from workflows.stages.base import RunSettings
from workflows.stages.services import (
    Analyst,
    Inquirer,
    PageQuestion,
    PageReply,
    TypeQuestion,
    TypeReply,
    Writer,
)
from workflows.stages.usage import Note, ignore_usage
from workflows.storage import files


def make_analyst(run: Run, pinned: RunSettings, note: Note, heartbeat: Callable[[], None]) -> Analyst | None:
    if pinned.analyzer == BY_MODEL:
        reads, classifies = (_make_model(run, pinned, use, note, heartbeat) for use in ("extract", "classify"))
        reads = replace(reads, examples=_pin_examples(run, reads.prompts))
        return reads if reads.chat.spec == classifies.chat.spec else TwoModels(reads, classifies)
    if pinned.analyzer != "rules":
        raise StageFailed(f"Unknown field extraction {pinned.analyzer}. Select another in the project settings.")
    return None


def _pin_examples(run: Run, book: PromptBook) -> str:
    """Return the examples that the first worker of the run found, so that every page and attempt gets the same."""
    if not any(uses_placeholder(one.prompt, "examples") for one in book.list_all("extract")):
        return ""
    store, name = files_of(run), files.examples(run.workflow_id)
    try:
        return store.read(name).decode()
    except NotFound:
        found = read_examples(run.site, run.project_id, but=run.document_id)
        store.write_new(name, found.encode(), "text/plain")
        return store.read(name).decode()


def make_writer(run: Run, pinned: RunSettings, note: Note, heartbeat: Callable[[], None]) -> Writer | None:
    return _make_model(run, pinned, "summarize", note, heartbeat) if pinned.summarizer == BY_MODEL else None


def make_inquirer(run: Run, pinned: RunSettings, note: Note = ignore_usage) -> Inquirer:
    """Build the model that answers questions about a page, for runs analysed by a model."""
    return _make_model(run, pinned, "answer", note, lambda: None)


def _make_model(
    run: Run, pinned: RunSettings, purpose: str, note: Note, heartbeat: Callable[[], None]
) -> LanguageModel:
    """Build the model that this run pinned for the purpose."""
    found = pinned_prompts.load_models(run.site, pinned.prompts_sha256)
    return factory.make_model(
        found[purpose].spec,
        found.prompts,
        takeover=found[purpose].takeover,
        note=note,
        record=partial(model_calls.record_calls, run),
        heartbeat=heartbeat,
    )


@dataclass(frozen=True)
class TwoModels:
    """An Analyst for projects that use different models for document types and fields."""

    reads: LanguageModel
    classifies: LanguageModel

    def classify(self, question: TypeQuestion) -> TypeReply:
        return self.classifies.classify(question)

    def read_page(self, question: PageQuestion) -> PageReply:
        return self.reads.read_page(question)
