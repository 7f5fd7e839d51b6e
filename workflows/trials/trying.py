"""The work of a trial: each version, or each OCR model, is run unless its answer exists."""

import dataclasses
import io
import json
import logging
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from django.utils.translation import gettext
from PIL import Image

from config.errors import Conflict, NotFound, Refused, StageFailed
from config.phrase import Phrase, count_sentence
from projects.models import queries as model_queries
from projects.models.spec import PAGES_DPI, ModelSpec, OcrSpec
from projects.prompts import choice as prompt_choice
from projects.prompts import queries as prompt_queries
from projects.prompts.book import PRODUCTION, PinnedPrompt, PromptBook
from projects.prompts.prompt import uses_placeholder
from projects.prompts.queries import PromptRef
from projects.settings import queries as project_queries
from workflows.providers.language_models.factory import make_model
from workflows.providers.page_readers import read_page_once, settings_to_read
from workflows.runs import prices, run_files, run_settings
from workflows.runs.actions import spending
from workflows.runs.items import DocumentWorkflow, Run
from workflows.stages import file_kinds
from workflows.stages.base import ArtifactStore, RunSettings
from workflows.stages.pages import paged, pdf
from workflows.storage import files
from workflows.storage.objects import DocumentFiles
from workflows.trials import actions, queries
from workflows.trials.documents import PageSize, ReadDocument, find_newest_run, load_read_document
from workflows.trials.items import Trial
from workflows.trials.outcome import outcome_to_json
from workflows.trials.purposes import try_purpose
from workflows.trials.queries import Draft, PageRef, TrialRef
from workflows.trials.readings import Reading, order_lines, reading_to_json

log = logging.getLogger(__name__)

_NO_PAGES = Phrase(
    "This document has no page images yet. Try again when its run has split it, or choose another document."
)


@dataclass(frozen=True)
class OpenPage:
    """A page as the newest run of its document prepared it, whether or not it was read."""

    run: Run
    row: DocumentWorkflow
    base: ArtifactStore
    size: PageSize
    count: int  # pages of the document

    @property
    def store(self) -> DocumentFiles:
        return DocumentFiles(self.run.site, self.run.project_id, self.run.document_id)


def open_page(site: str, project_id: str, page: PageRef) -> OpenPage:
    """Open a page.

    Raises:
        NotFound: no such document in this project, or no such page.
        Refused: it has no page images.

    """
    row = find_newest_run(site, project_id, page.document_id)
    run = Run(site, project_id, page.document_id, str(row.SK).rpartition("#")[2])
    base = run_files.files_of(run, row)
    prepared = paged.PREPARED.open_pages(base)
    count = int(prepared.head.get("segment_count") or 0)
    if not count or not file_kinds.has_pages(row.data["file_type"]):
        raise Refused(_NO_PAGES)
    found = prepared.by_index([page.index]).get(page.index)
    if found is None:
        raise Refused(
            count_sentence(
                "This document has %(count)s page. Enter a smaller number.",
                "This document has %(count)s pages. Enter a smaller number.",
                count,
            )
        )
    size = PageSize(page.index, int(found["width"]), int(found["height"]), has_image=True)
    return OpenPage(run, row, base, size, count)


def read_with_each(ref: TrialRef, trial: Trial, owner: str) -> None:
    """A redelivery continues with the models whose reading is missing. Raises: NotFound, Refused, Conflict."""
    document_id = str(trial.document_id)
    page = open_page(ref.site, ref.project_id, PageRef(document_id, int(trial.page_index)))
    there = trial.readings.as_dict()
    for spec in queries.read_models(ref, document_id):
        if spec.id not in there:
            actions.record_reading(ref, spec.id, _read(ref, page, spec), owner=owner)


def _read(ref: TrialRef, page: OpenPage, spec: OcrSpec) -> str:
    """Return the name of the reading's object; one without a problem is cached for others."""
    project = project_queries.get_project(ref.site, ref.project_id).settings
    pinned = replace(settings_to_read(spec, project.language), ocr_options=dict(project.ocr_options))
    name = files.trial_answer(_digest(page, pinned))
    if page.store.exists(name):
        return name
    image = _picture(page, spec.dpi)
    with spending.meter_beside_runs(page.run) as note:
        once = read_page_once(pinned, image, page.size.index, scale=image.width / page.size.width)
        if once.used.pages:
            note(once.used)
    slope = once.reading.slope
    lines = order_lines(once.reading.lines, slope)
    found = Reading(lines, once.used.ms / 1000, prices.cost(once.used), once.problem)
    if found.problem:
        name = files.trial_answer(f"{ref.trial_id}-{spec.id}")
    page.store.write(name, json.dumps(reading_to_json(found), ensure_ascii=False).encode(), "application/json")
    return name


def _digest(page: OpenPage, pinned: RunSettings) -> str:
    """Hash everything that determines a reading."""
    options = {name: str(value) for name, value in sorted(pinned.ocr_options.items())}
    of = [page.run.workflow_id, page.row.s3version or "", page.size.index]
    return files.sha256(json.dumps(["read", pinned.ocr_spec.sha256, pinned.language, options, *of]).encode())


def _picture(page: OpenPage, dpi: int) -> Image.Image:
    """Return the image as the model would get it. Raises: NotFound, Refused, StageFailed."""
    if dpi != PAGES_DPI and page.row.data["file_type"] == file_kinds.PDF:
        with tempfile.TemporaryDirectory(prefix="countersign-") as folder:
            original = Path(folder) / "original"
            run_files.fetch_original(page.run, page.row, original)
            with pdf.open_pdf(original) as document:
                return document.render(page.size.index, dpi)
    try:
        with Image.open(io.BytesIO(page.base.read(files.page_image(page.size.index)))) as image:
            return image.convert("RGB")
    except (OSError, SyntaxError, ValueError) as error:
        raise NotFound(gettext("The page image cannot be read. Re-run the document.")) from error


DRAFT = "draft"


@dataclass(frozen=True)
class Trying:
    """A trial in progress: prompts, model and document."""

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
        """Return the prompts in production, with one replaced by the draft."""
        tried = PinnedPrompt(self.draft.prompt, 0, DRAFT, self.prompt.scope) if side == DRAFT else self.production
        return PromptBook({**self.book.prompts, self.prompt.slug: tried})

    def answer_name(self, side: str) -> str:
        """Derive the name from everything that determines the answer, so that equal requests are sent once."""
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
    """The default, if there is no message."""


def do_trial(ref: TrialRef, *, owner: str, keep: Callable[[], None] = _keep_nothing) -> None:
    """Do the trial, or record why not. Idempotent: a redelivery finds it settled, or reuses existing answers.

    ``keep`` is called while a model works, and keeps the message invisible to other workers.

    Raises:
        ProviderPaused: the model does not answer for now; the trial waits.
        Unavailable: the table or S3 does not answer.

    """
    try:
        trial = actions.claim_trial(ref, owner=owner)
        if queries.is_lost(trial):  # a worker that reached the time limit put the message back
            return
        if trial.purpose == queries.READ:
            read_with_each(ref, trial, owner)
        else:
            _answer_both(ref, trial, owner, keep)
        actions.settle_trial(ref, owner=owner)
    except Conflict:
        log.info("trial is in other hands or settled", extra={"trial": ref.trial_id})
    except (NotFound, Refused, StageFailed) as error:
        give_up(ref, str(error), owner=owner)


def give_up(ref: TrialRef, reason: str, *, owner: str) -> None:
    """Does nothing if it is settled."""
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
    # No retries here: the task retries later, as a model that timed out would time out again at once.
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
    """Return the name of the answer's object; one without a problem is cached for others."""
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
