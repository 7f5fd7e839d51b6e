"""Writes of questions about a page: each is one conditional transaction with its event."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.utils.translation import gettext
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action

from config import clock
from config.due import actions as due_work
from config.errors import Conflict, Refused
from config.phrase import Sentence
from config.transaction import Put, Update, transact
from projects.audit.events import Actor
from workflows.questions import queries
from workflows.questions.items import Question
from workflows.questions.queries import QuestionRef
from workflows.runs import events
from workflows.runs.items import QuestionStatus, Run

LONGEST = 500  # characters of a question
LONGEST_ANSWER = 8_000
_TRIES = 8  # retries: people may ask about a page concurrently
_DEADLY = Sentence("No answer after %(tries)s attempts. Rephrase the question.")
S = QuestionStatus


@dataclass(frozen=True)
class Answer:
    """``passage``: the words of the page with the answer; ``box``: their place as fractions of the page, or None."""

    content: str
    source: str
    passage: str = ""
    box: tuple[float, float, float, float] | None = None
    confidence: float | None = None


def ask_question(run: Run, segment: int, text: str, *, by: Actor) -> QuestionRef:
    """Store a question under the page's next number.

    Raises:
        Refused: there is no question, it is too long, or the page has too many.
        Conflict: others keep asking about this page.

    """
    text = " ".join(text.split())
    if not text:
        raise Refused(gettext("Enter a question about this page."))
    if len(text) > LONGEST:
        raise Refused(gettext("Use at most %(longest)s characters.") % {"longest": LONGEST})
    for _ in range(_TRIES):
        number = max((int(one.qa_index) for one in queries.of_page(run, segment)), default=0) + 1
        if number > queries.MOST:
            raise Refused(gettext("This page has reached the limit of %(most)s questions.") % {"most": queries.MOST})
        ref = QuestionRef(run, segment, number)
        try:
            transact([Put(_new_question(ref, text, by))], _event(ref, "ASKED", by))
        except Conflict:  # someone else asked at the same time and got the number
            continue
        return ref
    raise Conflict(gettext("Others are asking about this page. Your question was not saved; try again in a moment."))


def _new_question(ref: QuestionRef, text: str, by: Actor) -> Question:
    return Question(
        *ref.key,
        **Question.due_keys(_next_look(), workflow_id=ref.run.workflow_id),
        project_id=ref.run.project_id,
        document_id=ref.run.document_id,
        workflow_id=ref.run.workflow_id,
        segment_index=ref.segment,
        qa_index=ref.number,
        status=S.ASKED,
        generation=1,
        analysis_query=text,
        asked_by=by.name,
        asked_at=clock.iso(clock.now()),
    )


def ask_again(ref: QuestionRef, *, generation: int, by: Actor) -> int:
    """Ask it again, under the same number; return the new generation.

    The current answer stays until the next one. ``generation``: what the page showed.

    Raises:
        Conflict: someone else asked again, or deleted it, or there is none.

    """
    actions = [
        Question.status.set(S.ASKED),
        Question.generation.set(generation + 1),
        Question.asked_by.set(by.name),
        Question.asked_at.set(clock.iso(clock.now())),
        Question.error.remove(),
        Question.project_id.set(ref.run.project_id),  # older rows have none of the three
        Question.document_id.set(ref.run.document_id),
        Question.workflow_id.set(ref.run.workflow_id),
        Question.tries.set(0),
        *due_work.schedule_actions(Question, _next_look(), workflow_id=ref.run.workflow_id),
        *due_work.release_actions(),
    ]
    same = (Question.generation == generation) & (Question.status != S.DELETED)
    transact([Update(ref.key, actions, same)], _event(ref, "ASKED_AGAIN", by))
    return generation + 1


def delete_question(ref: QuestionRef, *, by: Actor) -> bool:
    """Delete its text; the row stays, so that its number is not reused. False if it was deleted already.

    Raises:
        NotFound: there was never such a question.

    """
    words = (Question.analysis_query, Question.content, Question.found, Question.source, Question.error)
    actions = [Question.status.set(S.DELETED), *(one.remove() for one in words), Question.asked_by.remove()]
    actions += _finish()
    there = Question.PK.exists() & (Question.status != S.DELETED)
    try:
        transact([Update(ref.key, actions, there)], _event(ref, "DELETED", by))
    except Conflict:
        queries.get_question(ref)
        return False
    return True


def claim_question(ref: QuestionRef, asked: Question, *, owner: str) -> None:
    """Claim it to answer it. Raises: Conflict as ``due_work.claim``, or if it moved.

    The lease is longer than a model takes, so that no answer is paid for twice.
    """
    until = _next_look()
    later = due_work.postpone_actions(Question, until, workflow_id=ref.run.workflow_id) if asked.is_scheduled else []
    due_work.claim(asked, owner=owner, when=_waits(int(asked.generation)), also=later, until=until)


def postpone(asked: Question, *, counts: bool) -> None:
    """Schedule the sweeper's next check after it sent it again; ``counts``: as a failed try.

    Raises:
        Conflict: a worker has begun it, it is settled, or another sweep did it.

    """
    also = [Question.tries.set(Question.tries + 1)] if counts else []
    due_work.postpone(asked, at=_next_look(), when=_if_not_moved(asked), also=also)


def give_up(ref: QuestionRef, asked: Question) -> bool:
    """Fail a question after too many tries. False if someone has begun it again, or it is settled."""
    actions = [Question.status.set(S.FAILED), Question.error.set(_DEADLY.fill(tries=int(asked.tries)))]
    return _settle_question(ref, int(asked.generation), actions, "FAILED", when=_if_not_moved(asked))


def _if_not_moved(asked: Question) -> Condition:
    same: Condition = _waits(int(asked.generation)) & due_work.if_not_moved(asked)
    return same


def _waits(generation: int) -> Condition:
    waits: Condition = (Question.generation == generation) & (Question.status == S.ASKED)
    return waits


def _next_look() -> str:
    return clock.iso(clock.in_seconds(settings.MESSAGE_LOST_SECONDS))


def _finish() -> list[Action]:
    return [*due_work.finish_actions(), *due_work.release_actions()]


def record_answer(ref: QuestionRef, answer: Answer, *, generation: int) -> bool:
    """Store the answer; False if it was answered, asked again or deleted meanwhile."""
    found: dict[str, Any] = {"passage": answer.passage} if answer.passage else {}
    if answer.box:
        found["box"] = [round(edge, 5) for edge in answer.box]
    if answer.confidence is not None:
        found["confidence"] = answer.confidence
    actions = [
        Question.status.set(S.ANSWERED),
        Question.content.set(answer.content[:LONGEST_ANSWER]),
        Question.source.set(answer.source),
        Question.answered_at.set(clock.iso(clock.now())),
        Question.error.remove(),
        Question.found.set(found) if found else Question.found.remove(),
    ]
    return _settle_question(ref, generation, actions, "ANSWERED")


def record_failure(ref: QuestionRef, sentence: str, *, generation: int) -> bool:
    """Store why there is no answer; False as for ``record_answer``."""
    actions = [Question.status.set(S.FAILED), Question.error.set(sentence)]
    return _settle_question(ref, generation, actions, "FAILED")


def _settle_question(
    ref: QuestionRef, generation: int, actions: Sequence[Action], word: str, *, when: Condition | None = None
) -> bool:
    waits = _waits(generation) if when is None else when
    try:
        transact([Update(ref.key, [*actions, *_finish()], waits)], _event(ref, word, None))
    except Conflict:
        return False
    return True


def _event(ref: QuestionRef, word: str, by: Actor | None) -> events.EventAt:
    """Ids only: neither question nor answer."""
    facts = {"page": ref.segment + 1, "question": ref.number}
    return events.lineage(ref.run, f"QUESTION_{word}", by=by, facts=facts)
