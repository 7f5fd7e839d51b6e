"""A page shown to a model, where the run's settings choose one: its fields, and what it says in a few sentences."""

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
    """Lay the answer into ``segment``; returns what was used for it, nothing if no model is chosen.

    Only pages that are ``searched`` are asked for fields; of the others a description is enough. If no answer can be
    taken, ``segment["unanswered"]`` says why, ``segment["left_out"]`` if only some fields cannot be: rules read what is
    missing, and a person looks at it.

    Raises:
        StageFailed: the model cannot be asked; the page fails, and says so.
        ProviderPaused: no one answers.

    """
    if context.services.analyst is None:
        return ()
    type_id, specs = typed.find_page_type(context)
    question = PageQuestion(
        text="\n".join(row.text for row in page.rows) or str(segment["text_content"]),
        image=_image(context, page.index),
        specs=tuple(one for one in specs if one.type != TABLE) if searched else (),  # the rules read tables
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
    except NotFound:  # text has no picture
        return None
