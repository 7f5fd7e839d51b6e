"""The API of questions about a page: ask, ask again, list with answers, delete."""

from typing import Any

from ninja import Field, Router, Schema, Status

from config.errors import NotFound
from projects.sites import access
from projects.web.api import FAILURES, REFUSALS, ApiRequest, Body, with_example
from workflows.questions import actions, queries, tasks
from workflows.questions.items import Question
from workflows.questions.queries import QuestionRef
from workflows.questions.views import read_segment, run_to_ask
from workflows.runs.items import QuestionStatus

router = Router(tags=["questions"])
_GONE = "Question not found. It may have been deleted."


class QuestionShape(Schema):
    """``number``: in the path. ``status``: asked, answered or failed. ``generation``: how often it was asked.

    ``passage``: the quoted words; ``box``: left, top, right, bottom as shares of the page.
    ``confidence``: 0–1. ``source``: the model that answered, or local. ``error``: why there is no answer.
    """

    number: int
    status: str
    generation: int
    question: str
    answer: str | None
    passage: str | None
    box: list[float] | None
    confidence: float | None
    source: str | None
    error: str | None
    asked_by: str | None
    asked_at: str
    answered_at: str | None


class QuestionList(Schema):
    items: list[QuestionShape]


class QuestionWish(Body):
    model_config = with_example(question="Which VAT rate applies?")

    question: str = Field(min_length=1, max_length=actions.LONGEST)


class RepeatWish(Body):
    """``generation``: as returned; 409 if the question was asked again meanwhile."""

    model_config = with_example(generation=1)

    generation: int = Field(ge=0, lt=10**6, strict=True)


@router.get(
    "/documents/{document_id}/runs/{run_id}/pages/{index}/questions",
    response={200: QuestionList, **FAILURES},
    operation_id="list_questions",
    summary="List questions about a page",
)
def list_questions(request: ApiRequest, document_id: str, run_id: str, index: int) -> QuestionList:
    """Oldest first, with answers; `index` is 0-based. Requires READ, for personal data PERSONAL."""
    ref = _ref(request, document_id, run_id, index)
    rows = queries.of_page(ref.run, ref.segment)
    return QuestionList(items=[_shape(one) for one in rows if one.status != QuestionStatus.DELETED])


@router.post(
    "/documents/{document_id}/runs/{run_id}/pages/{index}/questions",
    response={201: QuestionShape, **REFUSALS},
    operation_id="ask_question",
    summary="Ask about a page",
)
def ask_question(request: ApiRequest, document_id: str, run_id: str, index: int, wish: QuestionWish) -> Any:
    """A worker answers; poll the questions. Requires READ and WRITE."""
    access.check_can_upload(request)
    page = _ref(request, document_id, run_id, index)
    ref = actions.ask_question(page.run, index, wish.question, by=request.auth.actor)
    tasks.order_answer(ref, 1)
    return Status(201, _shape(queries.get_question(ref)))


@router.post(
    "/documents/{document_id}/runs/{run_id}/pages/{index}/questions/{number}/again",
    response={200: QuestionShape, **REFUSALS},
    operation_id="ask_question_again",
    summary="Repeat a question",
)
def ask_question_again(
    request: ApiRequest, document_id: str, run_id: str, index: int, number: int, *, wish: RepeatWish
) -> QuestionShape:
    """Keeps the current answer until the next one arrives. Requires READ and WRITE."""
    access.check_can_upload(request)
    ref = _ref(request, document_id, run_id, index, number)
    _get(ref)
    tasks.order_answer(ref, actions.ask_again(ref, generation=wish.generation, by=request.auth.actor))
    return _shape(_get(ref))


@router.delete(
    "/documents/{document_id}/runs/{run_id}/pages/{index}/questions/{number}",
    response={204: None, **REFUSALS},
    operation_id="delete_question",
    summary="Delete a question",
)
def delete_question(request: ApiRequest, document_id: str, run_id: str, index: int, number: int) -> Status[None]:
    """Also deletes its answer. Idempotent. Requires READ and WRITE."""
    access.check_can_upload(request)
    actions.delete_question(_ref(request, document_id, run_id, index, number), by=request.auth.actor)
    return Status(204, None)


def _ref(request: ApiRequest, document_id: str, run_id: str, index: int, number: int = 0) -> QuestionRef:
    """Raises: NotAllowed; NotFound, also if the run has not read the page yet; Refused."""
    access.check_can_view(request)
    run = run_to_ask(request, document_id, run_id)
    if index < 0 or number < 0:
        raise NotFound("Pages are numbered from 0, questions from 1.")
    read_segment(run, index)
    return QuestionRef(run, index, number)


def _get(ref: QuestionRef) -> Question:
    """Raises: NotFound."""
    found = queries.get_question(ref)
    if found.status == QuestionStatus.DELETED:
        raise NotFound(_GONE)
    return found


def _shape(one: Question) -> QuestionShape:
    found = one.found.as_dict() if one.found is not None else {}
    return QuestionShape(
        number=int(one.qa_index),
        status=str(one.status),
        generation=int(one.generation),
        question=str(one.analysis_query or ""),
        answer=one.content,
        passage=found.get("passage"),
        box=found.get("box"),
        confidence=found.get("confidence"),
        source=one.source,
        error=one.error,
        asked_by=one.asked_by,
        asked_at=one.asked_at,
        answered_at=one.answered_at,
    )
