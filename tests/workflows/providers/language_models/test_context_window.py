"""What does not fit into a model's context is left out of the document's text."""

from projects.prompts.prompt import RenderedPrompt, mark_content
from workflows.providers.language_models.context_window import estimate_tokens, fit_prompt

TEXT = "\n".join(f"Line {number}: 12.50 EUR" for number in range(500))
PROMPT = RenderedPrompt("Read the page.", f"{mark_content('page_text', TEXT)}\nRecord it.")


def test_what_fits_stays_as_it_is():
    assert fit_prompt(PROMPT, 100_000) == (PROMPT, 0)


def test_a_long_text_loses_its_middle_and_nothing_else_changes():
    cut, left_out = fit_prompt(PROMPT, 1000)
    assert estimate_tokens(cut.instructions) + estimate_tokens(cut.message) <= 1000
    assert cut.message.startswith("<page_text>\nLine 0: 12.50 EUR\n")
    assert cut.message.endswith("Line 499: 12.50 EUR\n</page_text>\nRecord it.")
    assert cut.instructions == PROMPT.instructions
    assert left_out == len(PROMPT.message) - len(cut.message) + len("\n[…]\n")


def test_a_prompt_without_a_text_of_a_document_is_not_cut():
    prompt = RenderedPrompt("x" * 9000, "Record it.")
    assert fit_prompt(prompt, 10) == (prompt, 0)


def test_a_room_that_is_smaller_than_the_rest_leaves_no_text():
    cut, _ = fit_prompt(PROMPT, 5)
    assert cut.message == "<page_text>\n\n[…]\n\n</page_text>\nRecord it."
