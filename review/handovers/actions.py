"""Accepting a review request from another system: open its review, or give an open one the newer token."""

import contextlib
import hashlib
import io
import json
import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast

from django.conf import settings
from django.utils.translation import gettext
from PIL import Image
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action

from config import clock
from config.due import actions as due_work
from config.errors import Conflict, CountersignError, NotFound, Refused, Unavailable
from config.phrase import Sentence
from config.table import InvalidKey
from config.transaction import NEW, Delete, transact
from projects.documents.items import HANDED_OVER
from projects.queues import queries as queue_queries
from projects.queues.items import DEFAULT_QUEUE
from projects.settings import queries as project_queries
from projects.sites import directory
from review.decide import opening
from review.decide.opening import Pause
from review.handovers import delivery, keeping, page_sources, result
from review.handovers import question as questions
from review.handovers.question import Question
from review.identity import ReviewRef, checkpoint_key
from review.items.reviews import READABLE, Review
from review.status import DECIDED, Delivery, ReviewStatus
from workflows.engine import tokens
from workflows.runs import events
from workflows.runs.items import DocumentEvent, ReviewCheckpoint, Run
from workflows.runs.run_files import files_of
from workflows.stages.artifacts import write_json
from workflows.stages.assess import SHOWN
from workflows.stages.assessment import needs_review
from workflows.stages.assessment.triage import triage_result, write_triage
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

log = logging.getLogger(__name__)

DEFINITION = "desk-intake"
REFUSED = "QuestionRefused"  # the error that a caller's Catch names
_OPENING = "opening"
_REUSED = "This ID was already used with different content. Nothing was changed; use a new ID for each request."


@dataclass(frozen=True)
class Handover:
    """A question and its caller. ``scope``: namespace of its ids; ``entered``: stored instant; no token: fetched."""

    site: str
    question: Question
    caller: str
    scope: str
    entered: str
    token: str | None = None
    execution_arn: str = ""
    barred: Mapping[str, str] = field(default_factory=dict)  # user id → a Bar

    @property
    def ref(self) -> ReviewRef:
        """The review's reference, from the caller's id or else the token: the same message twice is the same review."""
        named = self.question.id or hashlib.sha256((self.token or "").encode()).hexdigest()
        digest = hashlib.sha256("\n".join([self.site, self.scope, named]).encode()).hexdigest()[:26]
        return ref_of(self.site, digest)

    @property
    def run(self) -> Run:
        return Run(self.site, files.QUESTIONS, self.ref.document_id, self.ref.document_id)


@dataclass(frozen=True)
class TakenHandover:
    """``new``: opened by this call. ``decided``: the decision to redeem with this token."""

    ref: ReviewRef
    new: bool = False
    decided: str = ""
    expired: bool = False


def ref_of(site: str, review_id: str) -> ReviewRef:
    """Return the review's reference from its id alone."""
    return ReviewRef(site, f"{HANDED_OVER}{review_id}", review_id)


def token_of(raw: Any) -> str | None:
    """Return the token of any input, so that even unreadable ones are answered."""
    named = (raw.get(name) for name in questions.TOKEN_NAMES) if isinstance(raw, dict) else ()
    return next((one for one in named if isinstance(one, str) and one), None)


def take_from_machine(raw: Any, *, entered: str) -> TakenHandover | None:
    """Take whatever a state machine sent; None if its task was failed, with the reason as cause.

    Raises:
        Unavailable: a retry is safe.

    """
    token = token_of(raw)
    try:
        taken = take_handover(from_machine(raw, entered=entered))
    except Unavailable:
        raise
    except CountersignError as error:
        sentence = str(error)
    else:
        if taken.expired:
            delivery.refuse_expired(token)
        return taken
    tokens.refuse(token, REFUSED, sentence)
    return None


def refuse_unread(token: str, error: str) -> None:
    """Fail the task of a question that the message queue refused. Raises: Unavailable."""
    sentence = f"The review request could not be queued ({error[:80]}). Send less text or reference page files."
    tokens.refuse(token, REFUSED, sentence)


def from_machine(raw: Any, *, entered: str) -> Handover:
    """Read a machine's question. ``entered``: when the intake machine started. Raises: Refused."""
    asked = questions.read_machine_question(raw)
    at = clock.iso(clock.parse(entered))
    caller = asked.caller or asked.machine or "a state machine"
    scope = f"machine {asked.machine}"
    return Handover(asked.site, asked, caller, scope, at, asked.token, asked.execution_arn)


def take_handover(handover: Handover) -> TakenHandover:
    """Open the review; idempotent.

    Raises:
        Refused: it cannot be reviewed, or its id belongs to another question; nothing was opened.
        Unavailable: nothing or everything was done; a retry is safe.

    """
    _check_site(handover.site)
    ref = handover.ref
    if (known := _find_known_review(ref)) is not None:
        return _take_again(handover, known)
    try:
        changes, required = opening.plan_review(_prepare_pause(handover), at=clock.now())
        written = transact(changes, required)
    except Conflict as conflict:
        if (known := _find_known_review(ref)) is None:
            raise Refused(_REUSED) from conflict
        return _take_again(handover, known)  # the same message twice at once: the other one made it
    except Refused:
        if (known := _find_known_review(ref)) is not None:  # the other one read a file that has been deleted since
            return _take_again(handover, known)
        _release_id(handover)
        raise
    log.info("question taken", extra={"site": ref.site, "review": ref.review_id})
    events.publish_soon(cast("DocumentEvent", written[0]))
    return TakenHandover(ref, new=True)


def _check_site(site: str) -> None:
    if not directory.is_open(site):
        raise Refused(
            gettext("Site “%(site)s” does not exist or is closed. Ask an admin for the site ID.") % {"site": site[:64]}
        )


def _find_known_review(ref: ReviewRef) -> Review | None:
    try:
        return Review.load(ref.key, only=READABLE)
    except NotFound:
        return None


def _take_again(handover: Handover, review: Review) -> TakenHandover:
    """Handle a redelivery or a restarted caller: claim, drafts and status stay."""
    ref = handover.ref
    if review.question_sha256 != handover.question.sha256:
        raise Refused(_REUSED)
    if review.status == ReviewStatus.EXPIRED:
        return TakenHandover(ref, expired=True)
    decided = review.status in DECIDED
    if not handover.token:
        return TakenHandover(ref)
    now = clock.iso(clock.now())
    more: list[Action] = [Review.execution_arn.set(handover.execution_arn)]
    if review.status in (ReviewStatus.REDEEMING, ReviewStatus.REDEEMED):
        # The older token is spent or being spent, so deliver again; not within the undo window.
        more += [Review.redeem_after.set(now), Review.delivery.remove(), Review.TimeToLive.remove()]
        more += due_work.schedule_actions(Review, now, review_id=ref.review_id)
    stored = tokens.store(ref.key, handover.token, attempt=1, entered=handover.entered, more=more)
    return TakenHandover(ref, decided=str(review.decision_id) if stored and decided else "")


def _prepare_pause(handover: Handover) -> Pause:
    """Write everything that the review points to, before the review itself. Raises: Refused, Unavailable."""
    asked, run = handover.question, handover.run
    place = _place(handover)
    specs = result.specs_of(handover.site, asked)
    pictures = page_sources.pictures_of(handover.site, asked.pages)
    _reserve_id(handover)
    store = files_of(run)
    content = result.result_content(asked, specs, _pages(store, pictures))
    body = write_json(store, files.result(run.workflow_id), content)
    why = needs_review.find_review_reasons(content, specs, today=clock.now().date().isoformat())
    found: dict[str, Any] = {
        "result_sha256": files.sha256(body),
        "reasons": [one.text for one in why[:SHOWN]]
        or [Sentence("Requested by %(caller)s").fill(caller=handover.caller)],
        "unsure": len({one.field for one in why if one.field}),
        "triage": write_triage(triage_result(content, specs, why)),
        "pages": len(content["pages"]),
        "last": "",  # no transition of a run of ours
    }
    return Pause(
        run=run,
        attempt=1,
        step=1,
        definition=DEFINITION,
        token=handover.token,
        entered=handover.entered,
        timeout=asked.deadline_seconds + settings.REVIEW_MARGIN_SECONDS,
        file_name=asked.title,
        project_name=place.project_name or handover.caller,
        found=found | ({"queue": place.queue} if place.queue else {}) | {"unseen_allowed": place.unseen_allowed},
        review_id=handover.ref.review_id,
        more=_caller_data(handover),
    )


def _caller_data(handover: Handover) -> dict[str, Any]:
    """Return the review row's entry about its caller."""
    return {
        "caller": handover.caller,
        "asked_by": handover.scope,
        "caller_id": handover.question.id,
        "question_sha256": handover.question.sha256,
        "execution_arn": handover.execution_arn or None,
        "delivery": None if handover.token else Delivery.TO_FETCH,
        **({"barred": dict(handover.barred)} if handover.barred else {}),
    }


class _Place(NamedTuple):
    project_name: str
    queue: str
    unseen_allowed: bool


def _place(handover: Handover) -> _Place:
    """Return the named project's settings and the queue: the named one, else the project's. Raises: Refused."""
    asked, name, queue, unseen_allowed = handover.question, "", handover.question.queue, False
    try:
        if asked.project:
            project = project_queries.get_project(handover.site, asked.project).settings
            name, queue, unseen_allowed = project.name, queue or project.review_queue, project.unseen_allowed
        if queue in ("", DEFAULT_QUEUE):
            return _Place(name, "", unseen_allowed)
        archived = queue_queries.get_queue(handover.site, queue).is_archived
    except (NotFound, InvalidKey) as error:
        what = "project or queue" if asked.project else "queue"
        raise Refused(
            gettext("No such %(what)s on site %(site)s. Check the ID.") % {"what": what, "site": handover.site}
        ) from error
    if archived and asked.queue:
        raise Refused(gettext("Queue %(queue)s is archived. Use another queue.") % {"queue": queue})
    return _Place(name, queue, unseen_allowed)


def _reserve_id(handover: Handover) -> None:
    """Reserve the id: files are stored under it alone, so of two questions with one id only the first may write.

    Leftover rows of an expired question do not block it; DynamoDB's TTL deletes them.

    Raises:
        Conflict: it belongs to another question, or the review exists.

    """
    actions = [
        ReviewCheckpoint.document_id.set(handover.ref.document_id),
        ReviewCheckpoint.tenant_id.set(handover.site),
        ReviewCheckpoint.status.set(_OPENING),
        ReviewCheckpoint.warranty_state.set(_state(handover)),
        ReviewCheckpoint.created_at.set(clock.iso(clock.now())),
        ReviewCheckpoint.TimeToLive.remove(),
    ]
    ReviewCheckpoint.change(checkpoint_key(handover.ref), actions, NEW | _if_reserved(handover) | keeping.if_expired())


def _release_id(handover: Handover) -> None:
    """Release the id of a refused question, so that it can be corrected and asked again."""
    with contextlib.suppress(Conflict):
        transact([Delete(checkpoint_key(handover.ref), _if_reserved(handover))])


def _if_reserved(handover: Handover) -> Condition:
    same: Condition = ReviewCheckpoint.warranty_state == _state(handover)
    ours: Condition = same & (ReviewCheckpoint.status == _OPENING)
    return ours


def _state(handover: Handover) -> str:
    return json.dumps({"question_sha256": handover.question.sha256})


def _pages(store: DocumentFiles, pictures: Iterable[Image.Image]) -> list[tuple[int, int]]:
    sizes = []
    for index, picture in enumerate(pictures):
        body = io.BytesIO()
        picture.save(body, "PNG", compress_level=3)
        store.write(files.page_image(index), body.getvalue(), "image/png")
        sizes.append(picture.size)
    return sizes
