"""Which versions a run is given: those that labels name, and never other words than an admin's."""

import pytest

from config.errors import Refused
from projects.audit.events import Actor
from projects.prompts import actions as prompt_actions
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
