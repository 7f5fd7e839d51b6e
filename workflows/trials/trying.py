"""A worker's part of a trial: the draft and the version in production, each asked unless its answer is there."""

import dataclasses
import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from config.errors import Conflict, NotFound, Refused, StageFailed
from projects.models import queries as model_queries
from projects.models.spec import ModelSpec
from projects.prompts import choice as prompt_choice
from projects.prompts import queries as prompt_queries
from projects.prompts.book import PRODUCTION, PinnedPrompt, PromptBook
from projects.prompts.prompt import uses_placeholder
from projects.prompts.queries import PromptRef
from workflows.providers.language_models.chats import make_model
from workflows.runs import run_settings
from workflows.runs.actions import spending
from workflows.storage import files
from workflows.trials import actions, queries, reading_page
from workflows.trials.documents import ReadDocument, load_read_document
from workflows.trials.items import Trial
from workflows.trials.outcome import outcome_to_json
from workflows.trials.purposes import try_purpose
from workflows.trials.queries import Draft, TrialRef

log = logging.getLogger(__name__)
DRAFT = "draft"


@dataclass(frozen=True)
class Trying:
    """One trial under way: what is asked, of whom, about which document."""

    ref: TrialRef
    prompt: PromptRef
    document: ReadDocument
    draft: Draft
    production: PinnedPrompt
    book: PromptBook
    spec: ModelSpec
    takeover: ModelSpec | None
    keep: Callable[[], None]

    def book_of(self, side: str) -> PromptBook:
        """What the model is told: the prompts in production, of which the draft replaces one."""
        tried = PinnedPrompt(self.draft.prompt, 0, DRAFT, self.prompt.scope) if side == DRAFT else self.production
        return PromptBook({**self.book.prompts, self.prompt.slug: tried})

    def answer_name(self, side: str) -> str:
        """By what decides the answer: the same is asked once, whoever tries it."""
        book, slug = self.book_of(side), self.prompt.slug
        asked = {slug, "classify"} if slug == "extract" and self.document.settings.typing else {slug}
        told = [book[name].prompt.sha256 for name in sorted(asked)]
        models = [self.spec.sha256, self.spec.takeover_below, self.takeover.sha256 if self.takeover else ""]
        shown = uses_placeholder(book[slug].prompt, "examples")
        of = [self.document.text_sha256, self.document.s3version, run_settings.to_json(self.document.settings)]
        return files.sha256(
            json.dumps([told, models, of, self.draft.question, self.document.examples if shown else ""]).encode()
        )


def _keep_nothing() -> None:
    """Without a message."""


def do_trial(ref: TrialRef, *, owner: str, keep: Callable[[], None] = _keep_nothing) -> None:
    """Do it, or say why not; delivered twice, the second finds it settled or each answer that is there.

    ``keep`` is called while a model is asked: it keeps the message from being handed to another worker.

    Raises:
        ProviderPaused: the model does not answer for now; the trial waits.
        Unavailable: the table or S3 does not answer.

    """
    try:
        trial = actions.claim_trial(ref, owner=owner)
        if queries.is_lost(trial):  # the message was put back by a worker that the time limit ended
            return
        if trial.purpose == queries.READ:
            reading_page.read_with_each(ref, trial, owner)
        else:
            _answer_both(ref, trial, owner, keep)
        actions.settle_trial(ref, owner=owner)
    except Conflict:
        log.info("trial is in other hands or settled", extra={"trial": ref.trial_id})
    except (NotFound, Refused, StageFailed) as error:
        give_up(ref, str(error), owner=owner)


def give_up(ref: TrialRef, reason: str, *, owner: str) -> None:
    """Harmless if it is settled."""
    try:
        actions.settle_trial(ref, owner=owner, error=reason)
    except Conflict:
        log.info("trial is in other hands or settled", extra={"trial": ref.trial_id})


def _answer_both(ref: TrialRef, trial: Trial, owner: str, keep: Callable[[], None]) -> None:
    trying = _prepare(ref, trial, keep)
    there: Mapping[str, str | None] = {DRAFT: trial.draft_answer, PRODUCTION: trial.production_answer}
    for side, name in there.items():
        if name is None:
            actions.record_answer(ref, side, _answer(trying, side), owner=owner)


def _prepare(ref: TrialRef, trial: Trial, keep: Callable[[], None]) -> Trying:
    """Raises: NotFound, Refused."""
    purpose, document_id = str(trial.purpose), str(trial.document_id)
    prompt, compared = (
        PromptRef(ref.site, ref.project_id, purpose, str(scope)) for scope in (trial.scope, trial.production_scope)
    )
    document = load_read_document(ref.site, ref.project_id, document_id, type_id=prompt.type_id)
    version = int(trial.production)
    text = prompt_queries.get_version(compared, version).prompt(purpose)
    # The task waits and tries again: a model that took too long takes as long at once.
    spec = dataclasses.replace(model_queries.get_model(ref.site, str(trial.model_id)), retries=0)
    return Trying(
        ref,
        prompt,
        document,
        queries.read_draft(ref.site, ref.project_id, document_id, ref.trial_id, purpose),
        PinnedPrompt(text, version, PRODUCTION, compared.scope),
        prompt_choice.choose_book(ref.site, ref.project_id, lambda: 1.0),
        spec,
        model_queries.get_model(ref.site, spec.takeover) if spec.takeover else None,
        keep,
    )


def _answer(trying: Trying, side: str) -> str:
    """The name of the answer's object; one that has no problem is kept for whoever asks the same."""
    store = trying.document.store
    name = files.trial_answer(trying.answer_name(side))
    if store.exists(name):
        return name
    with spending.meter_beside_runs(trying.document.run) as note:
        model = make_model(
            trying.spec, trying.book_of(side), takeover=trying.takeover, note=note, heartbeat=trying.keep
        )
        found = try_purpose(trying.prompt.purpose, model, trying.document, trying.draft.question)
    if found.problem:
        name = files.trial_answer(f"{trying.ref.trial_id}-{side}")
    pages = [dataclasses.asdict(one) for one in trying.document.page_sizes]
    body = json.dumps({"outcome": outcome_to_json(found), "pages": pages}, ensure_ascii=False).encode()
    store.write(name, body, "application/json")
    return name
