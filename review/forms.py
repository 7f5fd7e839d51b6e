"""What a person typed beside the fields: compared with what the page showed, and checked."""

from collections.abc import Mapping
from dataclasses import dataclass

from config.errors import Refused
from review.actions.decisions import Verdict
from review.actions.drafts import Typed
from review.identity import stored_queue
from review.status import Decision
from review.ticket import Ticket
from workflows import results
from workflows.document_types import KEY
from workflows.stages.base import FieldSpec

PREFIX = "field-"
AND_NEXT = "-and-next"
LONGEST_REASON = 1_000
_OTHER_FIELDS = "This type has other fields than the page showed. They are here now: check them, then approve."


@dataclass(frozen=True)
class Answers:
    """``typed``: field → text as typed. ``errors``: field → what to change; ``reason`` for the reason to reject."""

    decision: Decision
    typed: Mapping[str, str]
    reason: str
    errors: Mapping[str, str]
    reason_error: str
    corrections: Mapping[str, str | None]

    @property
    def is_valid(self) -> bool:
        return not self.errors and not self.reason_error


def typed_values(posted: Mapping[str, str]) -> dict[str, str]:
    """Field → what was typed, without what no keyboard sends: a NUL would travel on into every published result."""
    return {name.removeprefix(PREFIX): _printable(text) for name, text in posted.items() if name.startswith(PREFIX)}


def _printable(text: str) -> str:
    return "".join(one for one in text if one.isprintable() or one.isspace())


def draft_of(posted: Mapping[str, str], ticket: Ticket, *, all_of_it: bool = False) -> Typed:
    """What to keep of a form that was not sent to decide: what its page did not show already, or ``all_of_it``.

    Raises:
        Refused: longer than any answer may be.

    """
    typed = typed_values(posted)
    stood = {name: text or "" for name, text in ticket.shown.items()} | dict(ticket.typed)
    names = [field.name for field in ticket.fields if field.name in typed]
    if ticket.type_id is not None:
        stood[KEY] = ticket.type_id
        names += [KEY] if KEY in typed else []
    kept = {name: typed[name] for name in names if all_of_it or typed[name] != stood.get(name, "")}
    reason = posted.get("reason") if all_of_it else posted.get("reason") or None
    if any(len(text) > results.LONGEST for text in (*kept.values(), reason or "")):
        raise Refused(f"Not saved: an answer has up to {results.LONGEST:,} characters. Shorten it.")
    return Typed(kept, reason)


def wants_next(posted: Mapping[str, str]) -> bool:
    """Whether the next document is to be opened after this decision; the buttons say both in one word."""
    return posted.get("decision", "").endswith(AND_NEXT)


def answers_of(posted: Mapping[str, str], ticket: Ticket) -> Answers:
    """Raises: Refused, where the form says neither approve nor reject."""
    chosen = posted.get("decision", "").removesuffix(AND_NEXT)
    if chosen not in set(Decision):  # what nobody asked for must not come to be published
        raise Refused("Nothing was decided: this form names no decision. Open the review again and choose.")
    decision = Decision(chosen)
    typed, reason = typed_values(posted), _printable(posted.get("reason", "")).strip()
    if decision == Decision.REJECT:  # what is rejected is not corrected: nothing of it is published
        return Answers(decision, typed, reason, {}, _reason_error(reason), {})
    if ticket.type_id is not None and typed.get(KEY, ticket.type_id) != ticket.type_id:
        return Answers(decision, typed, "", {KEY: _OTHER_FIELDS}, "", {})
    corrections: dict[str, str | None] = {
        field.name: _correction(field, typed[field.name])
        for field in ticket.fields
        if field.name in typed and _differs(field.type, typed[field.name], ticket.shown.get(field.name))
    }
    # What stays as it was is asked for all the same where it is required and missing, or not an allowed value.
    answers = {field: _answer(field.name, typed, ticket) for field in ticket.fields}
    asked = {field.name: text for field, text in answers.items() if field.allowed or (field.required and not text)}
    errors = results.validate_corrections(ticket.fields, {**asked, **corrections})
    if ticket.type_id != ticket.type_found:
        corrections[KEY] = ticket.type_id
    return Answers(decision, typed, "", errors, "", corrections)


def _correction(field: FieldSpec, typed: str) -> str | None:
    """As typed, but for an allowed value: that one as the list has it."""
    return (results.allowed_form(field, typed) if field.allowed else None) or typed.strip() or None


def _answer(name: str, typed: Mapping[str, str], ticket: Ticket) -> str:
    return typed.get(name, ticket.shown.get(name) or "").strip()


def _differs(kind: str, typed: str, shown: str | None) -> bool:
    """Exact, but for spaces: somebody who mends only the letters' case means it."""
    if " ".join(typed.split()) == " ".join((shown or "").split()):
        return False
    stored = results.stored_form(kind, typed)
    return stored is None or stored != shown


def _reason_error(reason: str) -> str:
    if not reason:
        return "Say why, so that whoever sent the document can mend it."
    return "" if len(reason) <= LONGEST_REASON else f"Shorten the reason to {LONGEST_REASON:,} characters."


def verdict(answers: Answers, ticket: Ticket) -> Verdict:
    return Verdict(
        decision_id=ticket.decision_id,
        decision=answers.decision,
        version=ticket.version,
        result_sha256=ticket.result_sha256,
        corrections={**ticket.before, **answers.corrections},
        reason=answers.reason,
        name=ticket.name,
        queue=stored_queue(ticket.queue),
    )
