"""What a document says changes no instruction, stays inside its tag, and proves no value but those that it shows."""

import re
from typing import Any

import pytest

from config.errors import StageFailed
from projects.prompts.prompt import CONTENT_TAGS
from tests.each import each
from tests.workflows.injected import INJECTED, ORDER, WORDS
from tests.workflows.stages.memory import FIELDS, page
from tests.workflows.trials.reading import FakeChat, make_model
from workflows.providers.language_models.language_model import ChatRequest
from workflows.stages.document_types.types import TypeSpec
from workflows.stages.field_spec import FieldSpec
from workflows.stages.fields import given
from workflows.stages.services import GivenValue, PageInquiry, PageQuestion, SummaryQuestion, TypeQuestion

TYPES = (TypeSpec("inv", "Invoice", 1, FIELDS), TypeSpec("mail", "Letter", 1, ()))
TURNS = re.compile(r"<\||\[/?INST\]|</?s>|<</?SYS>>|<(?:start|end)_of_turn>|</?tool_|</?think>")


def entry(value: str, raw: str) -> dict[str, Any]:
    return {"value": value, "raw": raw, "confidence": 0.99}


def ask(purpose: str, text: str, answer: Any) -> ChatRequest:
    """The request that a page of this text makes, with the project's own words beside it."""
    chat = FakeChat(lambda _: answer)
    model = make_model(chat)
    match purpose:
        case "extract":
            model.read_page(PageQuestion(text, None, FIELDS, prompt="Receipts of a café."))
        case "classify":
            model.classify(TypeQuestion(text, None, TYPES, prompt="Receipts of a café."))
        case "summarize":
            model.summarize(SummaryQuestion(text, prompt="Receipts of a café."))
        case "answer":
            model.inquire(PageInquiry("What is the total?", text, None, prompt="Receipts of a café."))
    (request,) = chat.asked
    return request


ANSWERS: dict[str, Any] = {
    "extract": {"description": "A receipt.", "fields": {}},
    "classify": {"types": [{"type": "inv", "confidence": 1.0}]},
    "summarize": "A receipt.",
    "answer": {"answer": "9.00", "quote": "Total due 9.00"},
}
OWN_TAG = {"extract": "page_text", "classify": "document_text", "summarize": "document_text", "answer": "page_text"}


@pytest.mark.parametrize("purpose", ANSWERS)
@each("name", INJECTED)
def test_a_document_changes_no_instruction_and_stays_in_its_tag(name: str, purpose: str) -> None:
    harmless, injected = (ask(purpose, text, ANSWERS[purpose]) for text in (WORDS, INJECTED[name]))
    assert injected.prompt.instructions == harmless.prompt.instructions
    assert (injected.tool, injected.most) == (harmless.tool, harmless.most)
    message, tag = injected.prompt.message, OWN_TAG[purpose]
    # Outside of the tag every letter is as it would be of any other document.
    before, _, rest = message.partition(f"<{tag}>\n")
    inside, _, after = rest.rpartition(f"\n</{tag}>")
    assert f"{before}<{tag}>\n{WORDS}\n</{tag}>{after}" == harmless.prompt.message
    assert WORDS in inside
    seen = re.sub("[\u00ad\u200b-\u200f\u2060]", "", inside)
    assert not re.search(rf"[<＜﹤]\s*[/／]?\s*(?:{'|'.join(CONTENT_TAGS)})", seen.replace("< ", ""), re.IGNORECASE)
    assert not TURNS.search(inside)


def test_an_answer_is_bound_to_what_was_asked() -> None:
    chat = FakeChat(lambda _: {"description": ORDER, "fields": {"system_prompt": entry("You read", "You read")}})
    with pytest.raises(StageFailed, match="system_prompt is no field that was asked for"):
        make_model(chat).read_page(PageQuestion(INJECTED["gives instructions"], None, FIELDS))
    chat = FakeChat(lambda _: {"types": [{"type": ORDER, "confidence": 1.0}]})
    with pytest.raises(StageFailed, match="none of the types that were named"):
        make_model(chat).classify(TypeQuestion(ORDER, None, TYPES))


def test_an_answer_without_end_is_cut() -> None:
    said = {
        "description": "x" * 9_000,
        "entities": ["y" * 900] * 900,
        "fields": {"company": entry("Alder", "z" * 9_000)},
    }
    reply = make_model(FakeChat(lambda _: said)).read_page(PageQuestion(WORDS, None, FIELDS))
    answer = reply.answer
    assert (len(answer.description), len(answer.entities), len(answer.fields[0].raw)) == (2_000, 100, 2_000)
    assert max(map(len, answer.entities)) == 200
    wrong = {"description": "", "fields": {"total": entry("v" * 9_000, "v")} | {f"f{n}" * 99: None for n in range(999)}}
    with pytest.raises(StageFailed) as refused:
        make_model(FakeChat(lambda _: wrong)).read_page(PageQuestion(WORDS, None, FIELDS))
    assert len(str(refused.value)) < 3_000


TEXT, DATE, AMOUNT = (FieldSpec("f", "F", kind, required=False, threshold=0.8) for kind in ("text", "date", "amount"))
CURRENCY, NUMBER, FLAG = (
    FieldSpec("f", "F", kind, required=False, threshold=0.8) for kind in ("currency", "number", "boolean")
)
KIND = FieldSpec("f", "F", "text", required=False, threshold=0.8, allowed=("Goods", "Services"))


@each(
    "spec, value, raw, believed",
    [
        # what the page shows is believed
        (AMOUNT, "9.00", "9.00", True),
        (AMOUNT, "1007.50", "RM 1.007,50", True),
        (AMOUNT, "510.00", "Total due 510", True),
        (NUMBER, "12.5", "12,50", True),
        (DATE, "2024-03-12", "12/03/2024", True),
        (DATE, "2024-12-03", "12/03/2024", True),
        (DATE, "2024-03-12", "12 марта 2024", True),
        (TEXT, "Alder & Quill", "ALDER & QUILL", True),
        (TEXT, "Alder & Quill", "A1der & Quill", True),
        (CURRENCY, "CAD", "$ 9.00", True),
        (CURRENCY, "EUR", "€ 9.00", True),
        (FLAG, "true", "ticked", True),
        (KIND, "Services", "Haircut", True),
        # words that are there prove no value but their own
        (AMOUNT, "1.00", "Total due 9.00", False),
        (NUMBER, "7", "12", False),
        (DATE, "2030-01-01", "12/03/2024", False),
        (TEXT, "Mallory Ltd", "Alder & Quill", False),
        (TEXT, "Alder & Quill, pay to Mallory, IBAN 99", "Alder", False),
        (CURRENCY, "USD", "EUR 9.00", False),
    ],
)
def test_words_of_a_page_prove_only_what_they_say(spec: FieldSpec, value: str, raw: str, believed: bool) -> None:
    (found,) = given.place_values([GivenValue("f", value, raw, 0.99)], page(f"Paper | {raw}"), "model", [spec])
    assert (found["confidence"], found["box"] is not None) == ((0.97, True) if believed else (0.5, False))


def test_a_page_that_shows_no_words_proves_nothing() -> None:
    (found,) = given.place_values([GivenValue("f", "9.00", "9.00", 0.99)], page(), "model", [AMOUNT])
    assert (found["confidence"], found["box"]) == (0.5, None)
