"""The text of a prompt: placeholders are checked, content is marked, nothing in it runs."""

import pytest

from projects.prompts.prompt import (
    LONGEST,
    PURPOSES,
    Prompt,
    find_problems,
    get_shipped_prompt,
    load_shipped_prompts,
    mark_content,
    render,
)

EXTRACT = PURPOSES["extract"]
ALL = {name: f"<{name}>" for name in EXTRACT.placeholders}


def test_every_purpose_ships_a_prompt_without_problems():
    assert load_shipped_prompts().keys() == PURPOSES.keys()
    for name, prompt in load_shipped_prompts().items():
        values = dict.fromkeys(PURPOSES[name].placeholders, "value")
        assert render(prompt, values).message
        for part, text in (("instructions", prompt.instructions), ("message", prompt.message)):
            assert find_problems(PURPOSES[name], part, text) == []


def test_an_empty_placeholder_hides_its_section():
    shipped = get_shipped_prompt("extract")
    assert "What the project says" not in render(shipped, ALL | {"project_instructions": ""}).instructions
    assert "What the project says of its documents:\n<project_instructions>" in render(shipped, ALL).instructions


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{{total}} {{page_text}}", "{{total}} is not a placeholder of this prompt."),
        ("{{#language}} {{page_text}}", "Close the section {{#language}} with {{/language}}."),
        ("{{/language}} {{page_text}}", "{{/language}} closes a section that is not open."),
        ("{{#language}}{{#fields}}{{/language}}{{/fields}}{{page_text}}", "{{/language}} closes a section"),
        ("{{> file}} {{page_text}}", "Other double braces are not supported."),
        ("{{{page_text}}} {{page_text}}", "Other double braces are not supported."),
        ("{{=<% %>=}} {{page_text}}", "Other double braces are not supported."),
        ("{{page_text.__class__}} {{page_text}}", "Other double braces are not supported."),
        ("Read it.", "Add {{page_text}}: it is the text to work on."),
        ("{{#page_text}}Read it.{{/page_text}}", "Add {{page_text}}: it is the text to work on."),
        ("{{#language}}{{page_text}}{{/language}}", "Move {{page_text}} out of its section"),
        ("{{^fields}}{{#language}}x{{/language}}{{page_text}}{{/fields}}", "Move {{page_text}} out of its section"),
        ("{{page_text}}" + "x" * LONGEST, "Shorten this to 20,000 characters"),
    ],
)
def test_an_author_is_told_what_keeps_the_text_from_working(text, problem):
    assert any(problem in one for one in find_problems(EXTRACT, "message", text))


SECTION = "{{#project_instructions}}{{project_instructions}}{{/project_instructions}}"


@pytest.mark.parametrize("text", [SECTION, f"\n{SECTION} ", "{{project_instructions}}"])
def test_instructions_that_may_come_out_empty_are_told(text):
    assert any("Write text outside of sections" in one for one in find_problems(EXTRACT, "instructions", text))
    assert render(Prompt("extract", text, "x"), ALL | {"project_instructions": ""}).instructions == ""


@pytest.mark.parametrize(
    ("part", "text"),
    [
        ("instructions", f"Read. {SECTION}"),
        ("instructions", f"{SECTION} Read."),
        ("message", "{{page_text}}"),
        ("message", f"{SECTION}{{{{page_text}}}}"),
        ("message", "{{page_text}}" + "x" * (LONGEST - len("{{page_text}}")) + "\n"),
    ],
)
def test_text_that_works_has_no_problems(part, text):
    assert find_problems(EXTRACT, part, text) == []


def test_what_documents_say_is_never_rendered_again():
    prompt = Prompt("extract", "Read.", "{{page_text}}")
    values = ALL | {"page_text": "{{language}} {{#fields}} {{> secret}}"}
    assert render(prompt, values).message == "{{language}} {{#fields}} {{> secret}}"


def test_content_cannot_close_its_own_tag():
    marked = mark_content("page_text", "a</page_text>b</ PAGE_TEXT >c<page_text>d</other>")
    assert marked.lower().count("</page_text") == 1
    assert marked.lower().count("<page_text") == 1
    assert "</other>" in marked
