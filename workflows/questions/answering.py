"""Answering a question about a page: by the model in the run's settings, else by a quotation."""

import json
import logging

from config.due import actions as due_work
from config.errors import Conflict, CountersignError, NotFound, ProviderPaused, StageFailed, Unavailable
from config.phrase import Phrase
from projects.settings.values import BY_MODEL
from workflows.providers.language_models import pinned_models
from workflows.questions import actions as question_actions
from workflows.questions import queries
from workflows.questions.actions import Answer
from workflows.questions.items import Question
from workflows.questions.queries import QuestionRef
from workflows.runs import run_files, run_settings
from workflows.runs.actions import spending
from workflows.runs.items import QuestionStatus, Run
from workflows.runs.queries import document_of
from workflows.stages.base import RunSettings
from workflows.stages.fields import given
from workflows.stages.models import answerer
from workflows.stages.pages.layout import Page
from workflows.stages.segment_analyzer import page_of
from workflows.stages.services import PageInquiry
from workflows.stages.usage import LOCAL
from workflows.storage import files

log = logging.getLogger(__name__)

_UNREAD = Phrase("This page is not processed yet or no longer exists. Try again when the run has ended.")


def answer_question(ref: QuestionRef, generation: int, *, owner: str) -> None:
    """Answer it, or record why not. Idempotent: a redelivery finds it settled or claimed, and calls no model.

    Raises:
        ProviderPaused: the model does not answer for now; the question waits.
        Unavailable: the table or S3 does not answer.

    """
    try:
        asked = queries.get_question(ref)
    except NotFound:  # it was purged with its document
        return
    if asked.status != QuestionStatus.ASKED or int(asked.generation) != generation:
        return
    try:
        question_actions.claim_question(ref, asked, owner=owner)
        found = _ask_model(ref.run, asked)
    except Conflict:
        log.info("question is in other hands", extra={"run": ref.run.workflow_id, "question": ref.number})
        return
    except (ProviderPaused, Unavailable):
        due_work.release(asked, owner=owner)
        raise
    except (StageFailed, NotFound) as error:
        sentence = str(error) if isinstance(error, StageFailed) else _UNREAD
        question_actions.record_failure(ref, sentence, generation=generation)
    else:
        question_actions.record_answer(ref, found, generation=generation)
    log.info("question settled", extra={"run": ref.run.workflow_id, "page": ref.segment, "question": ref.number})


def give_up(ref: QuestionRef, generation: int, error: CountersignError) -> None:
    """Fail it because the service did not answer for as long as a question waits."""
    question_actions.record_failure(ref, str(error), generation=generation)


def _ask_model(run: Run, asked: Question) -> Answer:
    document = document_of(run)
    settings = run_settings.from_json(document.settings)
    store = run_files.files_of(run, document)
    segment = json.loads(store.read(files.segment(int(asked.segment_index))))
    if segment.get("status") != "completed":
        raise StageFailed(_UNREAD)
    page = page_of(segment)
    if settings.analyzer == BY_MODEL:
        return _by_model(run, settings, page, _inquiry(run, settings, page, asked))
    quoted = answerer.answer_question(page, str(asked.analysis_query), settings.fields)
    box = quoted.box if segment.get("image_uri") else None
    return Answer(quoted.content, LOCAL, quoted.passage, box, quoted.confidence)


def _inquiry(run: Run, settings: RunSettings, page: Page, asked: Question) -> PageInquiry:
    try:
        image = run_files.files_of(run).read(files.page_image(page.index))
    except NotFound:  # text has no page image
        image = None
    return PageInquiry(
        str(asked.analysis_query),
        "\n".join(row.text for row in page.rows),
        image,
        settings.language,
        settings.document_prompt,
        page.index,
        int(asked.qa_index),
        _find_type(run, settings),
    )


def _find_type(run: Run, settings: RunSettings) -> str:
    """Return the classification that the run found or was given; empty until the analysis is done."""
    if not settings.typing:
        return settings.classification_id
    try:
        result = json.loads(run_files.files_of(run).read(files.result(run.workflow_id)))
    except NotFound:
        return ""
    return str((result.get("classification") or {}).get("id") or "")


def _by_model(run: Run, settings: RunSettings, page: Page, inquiry: PageInquiry) -> Answer:
    """Return the model's answer, with the place of the quoted passage if it is on the page."""
    with spending.meter_calls(run) as note:
        reply = pinned_models.make_inquirer(run, settings, note).inquire(inquiry)
    words = [word for row in page.rows for line in row.lines for word in line.words]
    box = given.locate_text(reply.quote, words) if reply.quote and inquiry.image else None
    return Answer(reply.content, reply.model, reply.quote, box)
