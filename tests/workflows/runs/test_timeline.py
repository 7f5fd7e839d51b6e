"""The lines of a run's timeline: each as a person would say it."""

import re
from pathlib import Path

import pytest

from tests.each import each
from workflows.definitions.blueprint import Case, StepDefinition
from workflows.runs.items import DocumentEvent
from workflows.runs.views import about, timeline
from workflows.runs.views.timeline import describe_facts, list_event_rows

_ROOT = Path(__file__).parents[3]
_LINEAGE = re.compile(r"""lineage\(\s*[\w.()]+,\s*"([A-Z_]+)\"""")
# Put together, or looked up, where they are written.
_NAMED = (
    "FAILED", "CANCELLED", "REVIEW_EXPIRED", "PUBLISHED", "RESULT_STANDS_BESIDE", "RUN_AGAIN", "ANALYSED_AGAIN",
    "HUMAN_REVIEW_APPROVED", "HUMAN_REVIEW_REJECTED", "FOLLOW_UP_DONE", "FOLLOW_UP_CANCELLED", "FOLLOW_UP_WAITING",
    "SENDER_TOLD", "SENDER_NOT_TOLD", "DELETED", "RESTORED", "PURGED", "UNPACKED", "UNPACKING_FAILED", "SPLIT",
    "SPLIT_FAILED",
    "UNPACKING_GIVEN_UP", "QUESTION_ASKED", "QUESTION_ASKED_AGAIN", "QUESTION_ANSWERED", "QUESTION_FAILED",
    "QUESTION_DELETED",
)  # fmt: skip


def list_written_types() -> list[str]:
    found = {
        kind
        for package in ("workflows", "review")
        for file in (_ROOT / package).rglob("*.py")
        for kind in _LINEAGE.findall(file.read_text(encoding="utf-8"))
    }
    return sorted({*found, *_NAMED})


@pytest.mark.parametrize("kind", list_written_types())
def test_every_event_that_is_written_has_words_of_its_own(kind: str) -> None:
    assert kind in timeline._EVENTS


@each(
    ("kind", "facts", "by", "words", "details"),
    [
        ("INGESTED", {"rules": "Invoices"}, "Ada Admin", "Received from Ada Admin", "By rule: Invoices"),
        ("HUMAN_REVIEW_REQUIRED", {"review": "1", "reasons": 8}, None, "Review requested", "8 reasons"),
        ("HUMAN_REVIEW_REQUIRED", {"review": "1", "reasons": 1}, None, "Review requested", "1 reason"),
        (
            "SEGMENT_ANALYZER_COMPLETED", {"document_type": "receipt", "fields": 1, "prompt_unused": True}, "system",
            "Segment Analysis completed", "Type receipt, 1 field, document prompt not used: built-in rules take none",
        ),
        (
            "FORMAT_PARSER_COMPLETED", {"pages": 3, "text_layer_pages": 2}, None,
            "Format Parsing completed", "3 pages, 2 with a text layer",
        ),
        (
            "SEGMENT_BUILDER_COMPLETED", {"segments": 3, "segment_count": 3}, None,
            "Building Segments completed", "3 pages",
        ),
        ("TRANSCRIBE_SKIPPED", {"reason": "Only recordings are transcribed."}, None, "Transcription not needed",
         "Only recordings are transcribed."),
        (
            "PADDLEOCR_PROCESSOR_WAITS", {"service": "textract"}, None,
            "PaddleOCR Processing: waiting", "Amazon Textract",
        ),
        (
            "PUBLISHED", {"outcome": "published", "reviewed": True, "uri": "s3://b/k", "sha256": "0"}, None,
            "Published", "After review",
        ),
        (
            "FAILED", {"step": "segment_analyzer", "error": "TooManyAttempts", "reason": "It failed 5 times."}, None,
            "Failed at Segment Analysis", "It failed 5 times.",
        ),
        (
            "RUN_RESUMED", {"way": "retry", "step": "segment_prep", "attempt": 2, "pages": 1}, "Ada Admin",
            "Resumed by Ada Admin", "With the failed pages, from Segment Prep, attempt 2, 1 page",
        ),
        (
            "RUN_AGAIN", {"step": "assess", "beside": "01ABCDEFGH", "pages": 2, "instruction": True}, "Ada Admin",
            "Re-run started by Ada Admin", "From Assessment, in addition to run …CDEFGH, 2 pages, with an instruction",
        ),
        ("ACTION_FAILED", {"action": "WEBHOOK", "number": 2}, None, "Action failed", "Call a webhook, action 2"),
        ("QUESTION_ANSWERED", {"page": 1, "question": 2}, None, "Question answered", "Page 1, question 2"),
        ("UNPACKED", {"not taken": 0}, None, "Files unpacked", ""),
        ("UNPACKED", {"not taken": 2}, None, "Files unpacked", "2 files skipped"),
        ("OF_ANOTHER_SYSTEM", {"some_fact": 3, "other": True}, None, "Of another system", "Some fact 3, other"),
    ],
)  # fmt: skip
def test_a_line_reads_as_a_person_would_say_it(
    kind: str, facts: dict[str, object], by: str | None, words: str, details: str
) -> None:
    (row,) = list_event_rows([DocumentEvent("P", "S", type=kind, occurredAt="2026-01-01", by=by, facts=facts)])
    assert (row.words, row.details) == (words, details)


def test_nothing_is_said_of_ids_hashes_and_what_is_not_so() -> None:
    facts = {"review": "1", "result_sha256": "0", "reviewed": False, "decision": "2", "queue": ""}
    assert describe_facts(facts) == []


@each(
    ("result", "outcomes", "words"),
    [
        ("completed", (), "Completed"),
        ("skipped", (), "Not needed"),
        ("TooManyAttempts", (), "Failed"),
        ("not_small", ("not_small",), "Not small"),
        ("otherwise", ("small", "modest"), "Otherwise"),
        ("not_2", ("not_1", "not_2"), "Does not apply"),
        ("otherwise", ("not_1", "not_2"), "Applies"),
        ("applies", ("applies",), "Applies"),
        ("otherwise", ("applies",), "Does not apply"),
    ],
)
def test_a_step_s_result_is_a_word(result: str, outcomes: tuple[str, ...], words: str) -> None:
    cases = tuple(Case(one, ()) for one in outcomes)
    choice = StepDefinition(1, "c", "Large?", "choice", {"": 2}, cases=cases) if outcomes else None
    assert about._describe_result(result, choice) == words
