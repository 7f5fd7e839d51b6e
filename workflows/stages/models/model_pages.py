"""Extraction of a page's fields and description by a model, if the run's settings choose one."""

from typing import Any

from config.errors import NotFound
from projects.settings.columns import TABLE
from workflows.stages.base import StageContext
from workflows.stages.document_types import typed
from workflows.stages.fields import given
from workflows.stages.pages.layout import Page
from workflows.stages.services import PageQuestion, UnusableAnswer
from workflows.stages.usage import Usage
from workflows.storage import files


def ask_model_for_page(
    context: StageContext, segment: dict[str, Any], page: Page, *, searched: bool, count: int
) -> tuple[Usage, ...]:
    """Add the answer to ``segment``; return the usage, empty if no model is chosen.

    Only ``searched`` pages are asked for fields; the others get a description. If no answer is valid,
    ``segment["unanswered"]`` says why; ``segment["left_out"]``, if only some fields are invalid: rules extract what is
    missing, and it needs a review.

    Raises:
        StageFailed: the model cannot be used; the page fails with a message.
        ProviderPaused: the service does not answer.

    """
    if context.services.analyst is None:
        return ()
    type_id, specs = typed.find_page_type(context)
    question = PageQuestion(
        text="\n".join(row.text for row in page.rows) or str(segment["text_content"]),
        image=_image(context, page.index),
        specs=tuple(one for one in specs if one.type != TABLE) if searched else (),  # rules extract tables
        prompt=context.settings.document_prompt,
        instruction=context.settings.instruction,
        language=context.settings.language,
        alone=count == 1,
        index=page.index,
        type_id=type_id,
    )
    try:
        reply = context.services.analyst.read_page(question)
    except UnusableAnswer as error:
        segment["unanswered"] = str(error)
        return error.usage
    if reply.problem:
        segment["left_out"] = reply.problem
    segment["given"] = [
        *segment.get("given", ()),
        *given.place_values(reply.answer.fields, page, reply.model, question.specs),
    ]
    segment["description"] = segment["page_description"] = reply.answer.description
    segment["graph_entities"] = [
        {"name": name, "mentioned_in": [{"segment_index": page.index, "qa_index": 0, "context": ""}]}
        for name in reply.answer.entities
    ]
    return (*reply.usage, Usage(reply.usage[-1].service, reply.model, pages=1))


def _image(context: StageContext, index: int) -> bytes | None:
    try:
        return context.artifacts.read(files.page_image(index))
    except NotFound:  # text has no page image
        return None
