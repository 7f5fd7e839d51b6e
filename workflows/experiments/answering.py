"""One cell of an experiment: a variant reads a document, and its values are compared with the known answers."""

import dataclasses
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from config.errors import NotFound, Refused
from projects.documents import queries
from projects.models.spec import ModelSpec, cost_of
from workflows.experiments.queries import ExperimentRef
from workflows.experiments.results import DONE, FAILED, REMOVED, Cell, Judged, Plan, Variant
from workflows.providers.language_models import factory
from workflows.providers.language_models.language_model import Chat, ChatAnswer, ChatRequest, ModelCall
from workflows.runs import prices
from workflows.stages import results
from workflows.stages.field_spec import FieldSpec
from workflows.stages.usage import Usage
from workflows.storage import files
from workflows.storage.objects import DocumentFiles
from workflows.testsets import queries as testset_queries
from workflows.testsets.cases import Case, KnownAnswers
from workflows.trials.documents import PageSize, load_read_document
from workflows.trials.outcome import TrialField
from workflows.trials.purposes import extract_fields


@dataclass(frozen=True)
class Retry:
    """Requests whose cached answer was unusable, by digest. ``name``: of the retry, which caches answers of its own."""

    name: str = ""
    refused: frozenset[str] = frozenset()


@dataclass(frozen=True)
class RememberingChat:
    """A Chat with cached answers. ``before_asking`` may raise to stop a request; ``on_answer`` gets what was paid for.

    ``sent`` collects the digest of each request. ``retry``: requests to repeat, once in each retry.

    If a worker dies between receiving and storing an answer, which is one write, the request is repeated.
    """

    chat: Chat
    store: DocumentFiles
    before_asking: Callable[[], None]
    on_answer: Callable[[Usage], None]
    sent: list[str] = field(default_factory=list)
    retry: Retry = Retry()

    @property
    def spec(self) -> ModelSpec:
        return self.chat.spec

    @property
    def largest_image(self) -> int:
        return self.chat.largest_image

    def ask(self, request: ChatRequest) -> ChatAnswer:
        """Return a cached answer, or ask the model.

        Raises:
            StageFailed: the service refuses the request.
            ProviderPaused: it does not answer.
            Conflict: ``before_asking`` says that another worker does this.

        """
        digest = digest_request(self.spec, request)
        self.sent.append(digest)
        asks_again, name = digest in self.retry.refused, files.kept_answer(digest)
        try:
            kept = json.loads(self.store.read(name))
        except NotFound:
            kept = None
        if kept and not (asks_again and kept.get("retry") != self.retry.name):
            return _answer_from(kept)
        self.before_asking()
        answer = self.chat.ask(request)
        write = self.store.write if asks_again else self.store.write_new
        write(name, _to_bytes(answer, self.retry.name), "application/json")
        self.on_answer(answer.usage)
        return answer


def digest_request(spec: ModelSpec, request: ChatRequest) -> str:
    """Return a digest that is equal for requests that a model cannot distinguish: parameters and content."""
    image = hashlib.sha256(request.image).hexdigest() if request.image else ""
    refused = [(answer.turn, problem) for answer, problem in request.refused]
    sent = [
        spec.sha256,
        request.prompt.instructions,
        request.prompt.message,
        request.most,
        image,
        request.tool,
        refused,
    ]
    return hashlib.sha256(json.dumps(sent, sort_keys=True, default=dict).encode()).hexdigest()


def _to_bytes(answer: ChatAnswer, retry: str) -> bytes:
    kept = {"version": 1, "retry": retry, "answer": dataclasses.asdict(answer)}
    return json.dumps(kept, ensure_ascii=False).encode()


def _answer_from(kept: Mapping[str, Any]) -> ChatAnswer:
    stored = kept["answer"]
    return ChatAnswer(**{**stored, "usage": Usage(**stored["usage"])})


@dataclass(frozen=True)
class MadeCell:
    """``asked``: requests that the model answered now; ``spent``: their cost in millionths of a dollar."""

    cell: Cell
    workflow_id: str = ""
    asked: int = 0
    spent: int = 0


def make_cell(
    ref: ExperimentRef, plan: Plan, case: Case, variant: Variant, *, before_asking: Callable[[], None], retry: int = 0
) -> MadeCell:
    """Let the variant read the document. ``retry``: the number of this retry, which repeats unusable answers.

    A document may be purged meanwhile; then what was written of it here is deleted.

    Raises:
        StageFailed: this model cannot be used here at all.
        ProviderPaused: it does not answer for now.
        Unavailable: the table or S3 does not answer.
        Conflict: another worker does this.

    """
    made = MadeCell(Cell(case.document_id, case.half, variant.number, REMOVED))
    try:
        made = _read_and_judge(ref, plan, case, variant, before_asking=before_asking, retry=retry)
    except Exception:
        # otherwise a purge deleted files that were about to be read
        if not queries.is_purged(ref.site, case.document_id):
            raise
    if queries.is_purged(ref.site, case.document_id):  # after the writes: a purge that starts now deletes them itself
        DocumentFiles(ref.site, ref.project_id, case.document_id).destroy(before_asking)
        return dataclasses.replace(made, cell=Cell(case.document_id, case.half, variant.number, REMOVED))
    return made


def _read_and_judge(
    ref: ExperimentRef, plan: Plan, case: Case, variant: Variant, *, before_asking: Callable[[], None], retry: int
) -> MadeCell:
    """Raises: as ``make_cell``."""
    cell = Cell(case.document_id, case.half, variant.number, REMOVED)
    store = DocumentFiles(ref.site, ref.project_id, case.document_id)
    paid: list[int] = []
    model = factory.make_model(variant.model, plan.book(variant), takeover=variant.takeover, heartbeat=before_asking)
    try:
        known = testset_queries.load_answers(ref.site, ref.project_id, case)
        document = load_read_document(ref.site, ref.project_id, case.document_id, type_id=plan.type_id)
    except NotFound:
        return MadeCell(cell)
    except Refused as error:  # the document has no pages yet
        return _keep_failure(ref, store, dataclasses.replace(cell, status=FAILED), str(error))
    sent: list[str] = []
    again = _find_refused(ref, case.document_id, variant, retry)

    def remember(chat: Chat) -> Chat:
        def pay(used: Usage) -> None:
            paid.append(price_usage(chat.spec, used))

        return RememberingChat(chat, store, before_asking, pay, sent, again)

    takeover = remember(model.takeover) if model.takeover else None
    outcome = extract_fields(dataclasses.replace(model, chat=remember(model.chat), takeover=takeover), document)
    kept = KeptOutcome(
        outcome.fields, outcome.problem, _list_unanswered(sent, outcome.calls), tuple(document.page_sizes)
    )
    _keep_outcome(ref, store, variant.number, kept)
    cell = dataclasses.replace(
        cell,
        status=FAILED if outcome.problem else DONE,
        judged=() if outcome.problem else judge_fields(known, outcome.fields, document.specs),
        tokens_in=outcome.tokens_in,
        tokens_out=outcome.tokens_out,
        micros=sum(price_usage(call.spec, call.usage) for call in outcome.calls),
        ms=round(outcome.seconds * 1000),
    )
    return MadeCell(cell, document.workflow_id, len(paid), sum(paid))


def _list_unanswered(sent: Sequence[str], calls: Sequence[ModelCall]) -> tuple[str, ...]:
    """List the digests of requests without a usable answer, from a correction or another model either."""
    answered = {_get_question(one) for one in calls if not one.problem}
    return tuple(digest for digest, one in zip(sent, calls, strict=True) if _get_question(one) not in answered)


def _get_question(call: ModelCall) -> tuple[str, int]:
    return call.purpose, call.index


def _find_refused(ref: ExperimentRef, document_id: str, variant: Variant, retry: int) -> Retry:
    kept = load_outcome(ref, document_id, variant.number) if retry else None
    return Retry(f"{ref.experiment_id}-{retry}", frozenset(kept.refused)) if kept else Retry()


def judge_fields(known: KnownAnswers, found: Sequence[TrialField], specs: Sequence[FieldSpec]) -> tuple[Judged, ...]:
    """Compare each field whose answer is known; values that its type treats as equal are equal."""
    answers, required = {one.name: one for one in found}, {one.name for one in specs if one.required}
    judged = []
    for one in known.fields:
        answer = answers.get(one.name)
        value = results.normalise_value(one.type, answer.value if answer else None)
        judged.append(
            Judged(
                one.name,
                answer.confidence if answer and value else 0.0,
                expected=one.value is not None,
                answered=bool(value),
                right=bool(value) and value == results.normalise_value(one.type, one.value),
                required=one.name in required,
            )
        )
    return tuple(judged)


def price_usage(model: ModelSpec, used: Usage) -> int:
    """Return the price in millionths of a dollar, by the model's own or the default prices; 0 if unknown."""
    if model.has_price:
        return round(cost_of(model, used.tokens_in, used.tokens_out) * 1_000_000)
    return prices.cost(used) or 0


def _keep_failure(ref: ExperimentRef, store: DocumentFiles, cell: Cell, sentence: str) -> MadeCell:
    _keep_outcome(ref, store, cell.variant, KeptOutcome(problem=sentence))
    return MadeCell(cell)


@dataclass(frozen=True)
class KeptOutcome:
    """What a variant read in a document, and from which pages.

    ``refused``: digests of the requests whose answers were unusable, and no later answer was usable.
    """

    fields: tuple[TrialField, ...] = ()
    problem: str = ""
    refused: tuple[str, ...] = ()
    pages: tuple[PageSize, ...] = ()

    def get(self, name: str) -> TrialField | None:
        return next((one for one in self.fields if one.name == name), None)


def _keep_outcome(ref: ExperimentRef, store: DocumentFiles, variant: int, kept: KeptOutcome) -> None:
    body = json.dumps({"version": 1, **dataclasses.asdict(kept)}, ensure_ascii=False).encode()
    store.write(files.experiment_outcome(ref.experiment_id, variant), body, "application/json")


def load_outcome(ref: ExperimentRef, document_id: str, variant: int) -> KeptOutcome | None:
    """Return None if there is none yet, or it was purged with its document."""
    store = DocumentFiles(ref.site, ref.project_id, document_id)
    try:
        stored = json.loads(store.read(files.experiment_outcome(ref.experiment_id, variant)))
    except NotFound:
        return None
    fields = tuple(TrialField(**{**one, "box": tuple(one["box"]) if one["box"] else None}) for one in stored["fields"])
    pages = tuple(PageSize(**one) for one in stored["pages"])
    return KeptOutcome(fields, str(stored["problem"]), tuple(stored["refused"]), pages)
