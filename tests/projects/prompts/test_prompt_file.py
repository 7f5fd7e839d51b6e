"""Prompts as a YAML file: what is written is read again, and what anyone else wrote is refused with a reason."""

import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from config.errors import Refused
from projects.prompts.prompt import Prompt, clean_text, load_shipped_prompts
from projects.prompts.prompt_file import LONGEST_FILE, FiledPrompt, decode_file, read_prompts, write_prompts
from tests.examples import at_most

SMALL = "format: 1\nprompts:\n- purpose: extract\n  instructions: Read.\n  message: '{{page_text}}'\n"
HEAD = "format: 1\nprompts:\n"


def test_the_shipped_prompts_are_written_as_they_are_typed_and_read_again():
    filed = [FiledPrompt(one, "As shipped") for one in load_shipped_prompts().values()]
    text = write_prompts(filed)
    assert "  instructions: |\n    You read one page of a document" in text
    assert read_prompts(text) == filed


@settings(max_examples=at_most(25), deadline=None)
@given(st.text(max_size=200), st.text(max_size=40))
@example("a\x85b", "c\x85d")
def test_any_text_survives_the_file(words, note):
    filed = FiledPrompt(Prompt("extract", clean_text(f"Read. {words}"), clean_text("{{page_text}}")), note.strip())
    try:
        found = read_prompts(write_prompts([filed]))
    except Refused as error:
        assert "brace" in str(error) or "placeholder" in str(error) or "section" in str(error)  # noqa: PT017
    else:
        assert found == [filed]


def test_everything_is_text():
    (found,) = read_prompts(SMALL.replace("Read.", "2024-01-01").replace("  message", "  note: 0o17\n  message"))
    assert (found.prompt.instructions, found.note) == ("2024-01-01\n", "0o17")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "exactly two entries"),
        ("- a", "exactly two entries"),
        ("format: 2\nprompts: []", "reads files of format 1"),
        ("format: 1\nprompts: []", "no prompts"),
        ("format: 1\nprompts: {a: b}", "no prompts"),
        (f"{HEAD}- extract", "Prompt 1 needs the entries"),
        (f"{HEAD}- {{purpose: [], instructions: b, message: c}}", "Prompt 1 needs the entries"),
        (SMALL.replace("extract", "invent"), "Prompt 1 has an unknown purpose"),
        (SMALL.replace("  message", "  model: gpt\n  message"), "nothing reads: model"),
        (SMALL.replace("  instructions: Read.\n", ""), "Prompt 1 lacks instructions"),
        (SMALL.replace("page_text", "total"), r"Prompt 1, message: .*\{\{total\}\} is not a placeholder"),
        (SMALL + SMALL.replace(HEAD, ""), "two prompts for extract"),
        (SMALL.replace("  message", "  purpose: classify\n  message"), "names purpose twice"),
        (SMALL.replace("  message", f"  note: {'n' * 201}\n  message"), "shorten the note"),
        (SMALL.replace("'{{", "'{{\x00"), "not valid YAML"),
        (SMALL.replace("Read.", "'Read."), "not valid YAML in line"),
        (SMALL + "---\nformat: 1\n", "not valid YAML"),
        (HEAD + "- {? [] : c}", "name is not text"),
        (HEAD + "- {a: [b]}", "nested too deeply"),
    ],
)
def test_what_is_no_file_of_prompts_is_refused_with_what_is_wrong(text, words):
    with pytest.raises(Refused, match=words):
        read_prompts(text)


@pytest.mark.parametrize(
    "text",
    [
        "a: &a [x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: [*b,*b,*b,*b,*b,*b,*b,*b]\n",
        "&a [*a]",
        "[" * 200_000,
        "{a: " * 100_000,
        "- " * 200_000,
        "? " * 200_000,
        "!!python/object/apply:os.system [ls]",
        "!!python/name:os.system",
        "a: !!binary aGk=\n" * 20_000,
        f"format: 1\nprompts: {'9' * 400_000}",
        "%TAG ! tag:example.com,2000:\n" * 9_000,
        "x" * (LONGEST_FILE + 1),
    ],
)
def test_hostile_files_are_refused_at_once(text):
    begun = time.process_time()
    with pytest.raises(Refused):
        read_prompts(text)
    assert time.process_time() - begun < 10


def test_bytes_that_are_no_text_are_refused():
    with pytest.raises(Refused, match="UTF-8"):
        decode_file(b"\xff\xfe")
    with pytest.raises(Refused, match="larger than 512 KB"):
        decode_file(b"x" * (LONGEST_FILE + 1))
    assert decode_file(b"\xef\xbb\xbfa") == "a"
