"""Which versions a run is given: those that labels name, and never other words than an admin's."""

import json

import pytest

from config.errors import Refused
from projects.audit.events import Actor
from projects.prompts import actions as prompt_actions
from projects.prompts.book import PinnedPrompt, PromptBook, book_from
from projects.prompts.choice import choose_book
from projects.prompts.items import PromptVersion
from projects.prompts.prompt import Prompt
from projects.prompts.queries import PromptRef

BY = Actor("1", "Alice Novak")
REF = PromptRef("default", "p1", "extract")
pytestmark = pytest.mark.usefixtures("table")


def save() -> None:
    prompt_actions.save_version(REF, Prompt("extract", "Mine.\n", "{{page_text}}\n"), based_on=1, note="", by=BY)


def test_a_prompt_that_was_only_saved_leaves_the_shipped_one_in_use() -> None:
    save()
    assert choose_book("default", "p1")["extract"].version == 1


def test_a_labelled_version_that_is_missing_starts_no_run_with_other_words() -> None:
    save()
    prompt_actions.move_production(REF, 2, expected=1, reason="Better", by=BY)
    assert choose_book("default", "p1")["extract"].prompt.instructions == "Mine.\n"
    PromptVersion.load(REF.version_key(2)).delete()
    with pytest.raises(Refused, match="Version 2 of the prompt Extract fields is missing"):
        choose_book("default", "p1")


INVOICES = PromptRef("default", "p1", "extract", "c1")


def save_for_invoices() -> None:
    prompt = Prompt("extract", "Invoices.\n", "{{page_text}}\n")
    prompt_actions.save_version(INVOICES, prompt, based_on=0, note="", by=BY)


def words(book: PromptBook, type_id: str) -> str:
    return book.find("extract", type_id).prompt.instructions


def test_documents_of_a_type_use_its_prompt_once_it_is_in_production() -> None:
    save()
    prompt_actions.move_production(REF, 2, expected=1, reason="Better", by=BY)
    save_for_invoices()
    assert words(choose_book("default", "p1", types=["c1"]), "c1") == "Mine.\n"
    prompt_actions.move_production(INVOICES, 1, expected=0, reason="Better", by=BY)
    for types, type_id, expected in (
        (["c1"], "c1", "Invoices.\n"),
        (None, "c1", "Invoices.\n"),
        (None, "c2", "Mine.\n"),
        (None, "", "Mine.\n"),
        (["c2"], "c1", "Mine.\n"),
        ((), "c1", "Mine.\n"),
    ):
        assert words(choose_book("default", "p1", types=types), type_id) == expected
    assert choose_book("default", "p1", types=None)["extract"].prompt.instructions == "Mine.\n"


def test_what_a_run_pins_comes_back_with_the_prompts_of_types() -> None:
    save_for_invoices()
    prompt_actions.set_candidate(INVOICES, 1, expected=0, percent=50, reason="Trial", by=BY)
    book = choose_book("default", "p1", lambda: 0.4, types=None)
    found = book_from(json.loads(json.dumps(book.to_json())))
    assert found == book
    assert found.find("extract", "c1") == PinnedPrompt(
        Prompt("extract", "Invoices.\n", "{{page_text}}\n"), 1, "candidate", "c1"
    )
    assert len(found.list_all("extract")) == 2
    assert words(choose_book("default", "p1", lambda: 0.6, types=None), "c1").startswith("You read")
