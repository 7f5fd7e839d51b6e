"""The review form: input compared with what the page showed, and validated."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from django.utils.translation import gettext

from config.errors import Refused
from config.phrase import Figure, Phrase
from projects.settings.columns import TABLE
from review.changes import AcceptedWarning, FieldChange
from review.decide.decisions import Verdict
from review.decide.drafts import TypedValues
from review.desk.comparison import Draft
from review.desk.grid import read_cells
from review.desk.ticket import Ticket
from review.identity import queue_to_store
from review.status import Decision
from workflows.stages import results
from workflows.stages.assessment import field_rules
from workflows.stages.assessment.answers import WITHOUT_VALUE, Answer
from workflows.stages.assessment.field_rules import Warn, describe_stored, localise
from workflows.stages.assessment.reason_words import tell_reason
from workflows.stages.base import FieldSpec
from workflows.stages.document_types.of_result import KEY

PREFIX = "field-"
SEEN = "seen-"  # the box beside a field to check: confirmed as right
ANSWER = "answer-"  # the choice beside a field: why it has no value, empty if it has one
UNSEEN = "unseen-"  # a field that the person was asked about before pressing ANYWAY
ANYWAY = "-anyway"
AND_NEXT = "-and-next"
LONGEST_REASON = 1_000
_BLANKS = " \r\n"  # stripped from both ends of a text; a tab there is an empty table cell
TYPE_LABEL = Phrase("Document type")
WHY = "#why-"  # prefix of typed reasons why a value with a warning is right
_WARNED = Phrase("Correct it, or enter why it is right.")
_LACKING = Phrase("This project requires a value here. Enter it or reject the document.")
_OTHER_FIELDS = Phrase("This document type has different fields. They are shown now: check them, then approve.")


@dataclass(frozen=True)
class Answers:
    """``typed``: field → text as typed. ``errors``: field → what to change; ``reason`` for the reason to reject.

    ``confirmed``: field → text confirmed as right. ``unseen``: required checks that are missing; ``accepted``: the
    project allows that and the person accepted exactly these. ``answers``: field → answer instead of a value.
    ``warnings``: warnings that the person overrode.
    """

    decision: Decision
    typed: Mapping[str, str]
    reason: str = ""
    reject_reason: str = ""  # of the project's list
    errors: Mapping[str, str] = field(default_factory=dict)
    reason_error: str = ""
    corrections: Mapping[str, str | None] = field(default_factory=dict)
    changes: tuple[FieldChange, ...] = ()
    confirmed: Mapping[str, str] = field(default_factory=dict)
    unseen: tuple[str, ...] = ()
    accepted: bool = False
    chosen: Mapping[str, str] = field(default_factory=dict)  # as in the form, including empty ones
    answers: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[AcceptedWarning, ...] = ()

    @property
    def is_valid(self) -> bool:
        return not self.errors and not self.reason_error and (self.accepted or not self.unseen)


def read_typed_values(posted: Mapping[str, str]) -> dict[str, str]:
    """Return field → typed text without control characters: a NUL would end up in every published result."""
    fields = {name.removeprefix(PREFIX): text for name, text in posted.items() if name.startswith(PREFIX)}
    # A script sends a table as text, a plain form its cells; forms send lines with two characters at their ends.
    return {name: _printable(text).replace("\r\n", "\n") for name, text in {**read_cells(posted), **fields}.items()}


def _printable(text: str) -> str:
    return "".join(one for one in text if one.isprintable() or one.isspace())


def read_ticked_fields(posted: Mapping[str, str]) -> dict[str, str]:
    """Return field → the text beside which its box was ticked."""
    typed = read_typed_values(posted)
    boxes = (name.removeprefix(SEEN) for name, value in posted.items() if name.startswith(SEEN) and value)
    return {name: typed.get(name, "") for name in boxes}


def read_chosen_answers(posted: Mapping[str, str]) -> dict[str, str]:
    """Return field → why it has no value, empty if it has one; unknown words are ignored."""
    return {
        name.removeprefix(ANSWER): word if word in WITHOUT_VALUE else ""
        for name, word in posted.items()
        if name.startswith(ANSWER)
    }


def draft_of(posted: Mapping[str, str], ticket: Ticket, *, all_of_it: bool = False) -> TypedValues:
    """Return the draft of a form: input that differs from its page, or ``all_of_it``.

    Raises:
        Refused: longer than any answer may be.

    """
    typed = read_typed_values(posted)
    stood = {name: text or "" for name, text in ticket.shown.items()} | dict(ticket.typed)
    names = [one.name for one in ticket.fields if one.name in typed]
    names += [f"{WHY}{one.name}" for one in ticket.fields if f"{WHY}{one.name}" in typed]
    if ticket.type_id is not None:
        stood[KEY] = ticket.type_id
        names += [KEY] if KEY in typed else []
    kept = {name: typed[name] for name in names if all_of_it or typed[name] != stood.get(name, "")}
    reason = posted.get("reason") if all_of_it else posted.get("reason") or None
    longest = {one.name: results.longest(one.type) for one in ticket.fields}
    for name, text in (*kept.items(), ("", reason or "")):
        if len(text) > longest.get(name, results.LONGEST):
            raise Refused(
                gettext("Not saved: use at most %(name)s characters.")
                % {"name": Figure(f"{longest.get(name, results.LONGEST):,}").translated()}
            )
    chosen = read_chosen_answers(posted)
    known = {one.name for one in ticket.fields}
    answers = {
        name: word
        for name, word in chosen.items()
        if name in known and (all_of_it or word != ticket.answers.get(name, ""))
    }
    return TypedValues(kept, reason, _confirm_fields(posted, ticket, all_of_it=all_of_it), answers)


def _confirm_fields(posted: Mapping[str, str], ticket: Ticket, *, all_of_it: bool) -> dict[str, str | None]:
    """Read confirmations: a script sends touched boxes; a plain form sends ticked ones, compared with its page."""
    now = read_ticked_fields(posted)
    touched = [name for name in ticket.asked if all_of_it and f"{SEEN}{name}" in posted]
    if not all_of_it:
        touched = [name for name in ticket.asked if (name in now) != (name in ticket.confirmed)]
    return {name: now.get(name) for name in touched}


def wants_next(posted: Mapping[str, str]) -> bool:
    """Return whether to open the next document after the decision; one button value says both."""
    return posted.get("decision", "").endswith(AND_NEXT)


def _read_type_choice(posted: Mapping[str, str]) -> tuple[str, bool]:
    word = posted.get("decision", "").removesuffix(AND_NEXT)
    return word.removesuffix(ANYWAY), word.endswith(ANYWAY)


def decide_anyway_word(posted: Mapping[str, str]) -> str:
    """Return the value of the button that resends the decision despite unchecked fields."""
    return f"{Decision.APPROVE}{ANYWAY}{AND_NEXT if wants_next(posted) else ''}"


def answers_of(posted: Mapping[str, str], ticket: Ticket) -> Answers:
    """Raises: Refused if the form says neither approve nor reject."""
    chosen, anyway = _read_type_choice(posted)
    if chosen not in set(Decision):  # values that were not asked for must not be published
        raise Refused(gettext("No decision was received. Nothing was submitted; reopen the review and decide."))
    decision = Decision(chosen)
    typed, reason = read_typed_values(posted), _printable(posted.get("reason", "")).strip()
    said = read_chosen_answers(posted)
    listed = read_listed_reason(posted, ticket)
    if decision == Decision.REJECT:  # a rejection publishes nothing, so it needs no corrections
        return Answers(
            decision, typed, reason, listed, reason_error=_reason_error(reason, listed),
            confirmed={name: text for name, text in read_ticked_fields(posted).items() if name in ticket.asked},
            chosen=said,
        )  # fmt: skip
    if ticket.type_id is not None and typed.get(KEY, ticket.type_id) != ticket.type_id:
        ticked = read_ticked_fields(posted)
        return Answers(decision, typed, errors={KEY: _OTHER_FIELDS}, confirmed=ticked, chosen=said)
    without = {one.name: word for one in ticket.fields if (word := said.get(one.name))}
    meant = read_meant_values(typed, without, ticket)
    corrections = _list_corrections(meant, ticket)
    errors = _find_errors(meant, without, corrections, ticket)
    warned = list_warnings(meant, ticket)
    reasons = {one.field: " ".join(typed.get(f"{WHY}{one.field}", "").split()) for one in warned}
    errors |= {one.field: _WARNED for one in warned if not reasons[one.field] and one.field not in errors}
    if ticket.type_id != ticket.type_found:
        corrections[KEY] = ticket.type_id
    confirmed = {
        name: text
        for name, text in read_ticked_fields(posted).items()
        if name in ticket.asked and name not in corrections
    }
    own = {name: word for name, word in without.items() if word != ticket.answered.get(name)}
    settled = {*confirmed, *corrections, *own}
    unseen = tuple(name for name in ticket.asked if name not in settled)
    return Answers(
        decision, typed, errors=errors, corrections=corrections, changes=_changes(corrections, own, ticket),
        confirmed=confirmed, unseen=unseen, chosen=said,
        answers=_name_answers(corrections, confirmed, said, ticket),
        warnings=tuple(AcceptedWarning(one.field, one.text, reasons[one.field]) for one in warned),
        accepted=ticket.unseen_allowed and anyway and all(f"{UNSEEN}{name}" in posted for name in unseen),
    )  # fmt: skip


def _list_corrections(meant: Mapping[str, str], ticket: Ticket) -> dict[str, str | None]:
    return {
        one.name: _correction(one, meant[one.name])
        for one in ticket.fields
        if one.name in meant and differs(one.type, meant[one.name], ticket.shown.get(one.name))
    }


def _find_errors(
    meant: Mapping[str, str], without: Mapping[str, str], corrections: Mapping[str, str | None], ticket: Ticket
) -> dict[str, str]:
    """Return field → error. An unchanged value is one too if it is required and missing, or not an allowed value."""
    texts = {one: _answer(one.name, meant, ticket) for one in ticket.fields}
    asked = {
        one.name: text for one, text in texts.items() if one.allowed or one.type == TABLE or (one.required and not text)
    }
    lacking = without if ticket.lacking_allowed else ()
    return {
        name: _LACKING if name in without else words
        for name, words in results.validate_corrections(ticket.fields, {**asked, **corrections}).items()
        if name not in lacking
    }


def read_meant_values(typed: Mapping[str, str], without: Mapping[str, str], ticket: Ticket) -> dict[str, str]:
    """Return field → text, dates in the document's format; inputs of fields marked as without a value are ignored."""
    meant = {
        one.name: localise(one, typed[one.name], day_first=ticket.day_first)
        for one in ticket.fields
        if one.name in typed
    }
    return meant | dict.fromkeys(without, "")


def list_warnings(meant: Mapping[str, str], ticket: Ticket) -> list[Warn]:
    """Return the warnings about the current values."""
    texts = {one.name: _answer(one.name, meant, ticket) for one in ticket.fields}
    return field_rules.list_warnings(ticket.fields, texts, today=ticket.today, read=ticket.shown)


@dataclass(frozen=True)
class FieldCheck:
    """Live feedback on one field, in the person's language. ``stored``: what will be stored, in words; may be empty.

    ``repair``: a value that resolves a warning, or empty.
    """

    stored: str
    error: str
    warnings: tuple[str, ...]
    repair: str


def check_typed(posted: Mapping[str, str], ticket: Ticket) -> dict[str, FieldCheck]:
    """Return field → feedback as on submission, except questions that are asked only then.

    One of them is a value that was not found and that nobody has come to yet.
    """
    typed = read_typed_values(posted)
    without = {name: word for name, word in read_chosen_answers(posted).items() if word}
    meant = read_meant_values(typed, without, ticket)
    filled = {name: text for name, text in meant.items() if text.strip(_BLANKS)}
    errors = _find_errors(meant, without, _list_corrections(meant, ticket), ticket)
    asked = {*filled, *without, *read_ticked_fields(posted), *(name for name, text in ticket.shown.items() if text)}
    warned = list_warnings(meant, ticket)
    return {
        one.name: FieldCheck(
            _say(describe_stored(one, typed[one.name], day_first=ticket.day_first)) if one.name in filled else "",
            _say(errors.get(one.name, "")) if one.name in asked else "",
            tuple(_say(tell_reason(each.text)) for each in warned if each.field == one.name),
            next((each.repair for each in warned if each.field == one.name and each.repair), ""),
        )
        for one in ticket.fields
        if one.name in typed
    }


def find_draft_errors(draft: Draft, ticket: Ticket) -> dict[str, str]:
    """Return field → what is wrong with what a draft holds, as it was said while it was typed."""
    confirmed = draft.confirmed or {}
    values = {name: draft.typed.get(name, ticket.shown.get(name) or "") for name in (*draft.answers, *confirmed)}
    values |= draft.typed
    if not values:  # most reviews that are opened have no draft yet
        return {}
    posted = {f"{PREFIX}{name}": text for name, text in values.items()}
    posted |= {f"{ANSWER}{name}": word for name, word in draft.answers.items()}
    posted |= {f"{SEEN}{name}": "1" for name, text in confirmed.items() if text == values[name]}
    return {name: one.error for name, one in check_typed(posted, ticket).items() if one.error}


def _say(text: str) -> str:
    return text.translated() if isinstance(text, Phrase) else text


def _name_answers(
    corrections: Mapping[str, str | None], confirmed: Mapping[str, str], chosen: Mapping[str, str], ticket: Ticket
) -> dict[str, str]:
    """Return field → answer instead of a value, including earlier approvals; the document type cannot have one."""
    names = [one.name for one in ticket.fields]
    told = {name: one for name, one in ticket.answered.items() if name in names}
    told = {name: one for name, one in told.items() if one not in WITHOUT_VALUE or chosen.get(name, one) == one}
    for name in names:
        if word := chosen.get(name):
            told[name] = word
        elif name in corrections:
            told[name] = Answer.CORRECTED if corrections[name] else Answer.ABSENT
        elif name in confirmed:
            told.setdefault(name, Answer.CONFIRMED)
    return {name: str(one) for name, one in told.items()}


def _changes(
    corrections: Mapping[str, str | None], answers: Mapping[str, str], ticket: Ticket
) -> tuple[FieldChange, ...]:
    """Return this person's changes to what the page showed."""
    changes = [
        FieldChange(
            one.name,
            one.label,
            ticket.shown.get(one.name),
            results.to_stored_form(one.type, corrections.get(one.name) or ""),
            answers.get(one.name, ""),
        )
        for one in ticket.fields
        if one.name in corrections or one.name in answers
    ]
    if KEY in corrections:
        was, now = (ticket.type_names.get(one or "") for one in (ticket.type_found, ticket.type_id))
        changes.append(FieldChange(KEY, TYPE_LABEL, was, now))
    return tuple(changes)


def _correction(field: FieldSpec, typed: str) -> str | None:
    """Return the value as typed, except allowed values (as listed) and table cells."""
    told = results.to_allowed_form(field, typed) if field.allowed or field.type == TABLE else None
    return told or typed.strip() or None


def _answer(name: str, typed: Mapping[str, str], ticket: Ticket) -> str:
    return typed.get(name, ticket.shown.get(name) or "").strip(_BLANKS)


def differs(kind: str, typed: str, shown: str | None) -> bool:
    """Compare exactly but for spaces: a change of case only is a change."""
    if kind != TABLE and " ".join(typed.split()) == " ".join((shown or "").split()):
        return False
    stored = results.to_stored_form(kind, typed)
    if kind == TABLE:  # a table without rows has no value
        return (stored or "") != (shown or "")
    return stored is None or stored != shown


def read_listed_reason(posted: Mapping[str, str], ticket: Ticket) -> str:
    """Return the chosen reason of the project's list; empty for another reason."""
    chosen = posted.get("reject_reason", "")
    return chosen if chosen in ticket.reject_reasons else ""


def _reason_error(reason: str, listed: str) -> str:
    if not reason and not listed:
        return Phrase("Enter a reason so the sender can fix the document.")
    return (
        ""
        if len(reason) <= LONGEST_REASON
        else Phrase("Use at most %(longest_reason)s characters.").fill(longest_reason=Figure(f"{LONGEST_REASON:,}"))
    )


def make_verdict(answers: Answers, ticket: Ticket) -> Verdict:
    return Verdict(
        decision_id=ticket.decision_id,
        decision=answers.decision,
        version=ticket.version,
        result_sha256=ticket.result_sha256,
        corrections={**ticket.before, **answers.corrections},
        reason=answers.reason,
        reject_reason=answers.reject_reason,
        changes=answers.changes,
        earlier=ticket.earlier,
        judges=ticket.judges,
        confirmed=answers.confirmed,
        unseen=answers.unseen,
        answers=answers.answers,
        warnings=answers.warnings,
        asked=ticket.asked,
        check_share=ticket.check_share,
        is_blind=ticket.is_blind,
        definition=ticket.definition,
        name=ticket.name,
        queue=queue_to_store(ticket.queue),
    )
