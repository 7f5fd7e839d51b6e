"""What is read off a policy's text, and which texts are refused with what to change."""

import pytest

from config.errors import Refused
from projects.policies.examples import TITLES, load_example
from projects.policies.language import LONGEST, read_policy
from tests.each import each

HEAD = "package countersign\n"


@each(
    "line, needs",
    [
        ('deny contains "x" if input.action != "READ"', set()),
        ('deny contains "x" if input.document.project == "A"', set()),
        ('deny contains "x" if input.document.attributes.a', {"attributes"}),
        ('deny contains "x" if input.document.tags.a', {"tags"}),
        ('deny contains "x" if input.document["attributes"].a', {"attributes", "tags"}),
        ('deny contains "x" if { d := input.document; d.tags }', {"attributes", "tags"}),
        ('deny contains "x" if { all := input; all.document.tags }', {"attributes", "tags"}),
        ('deny contains "input.document.tags" if true # input.document.attributes', set()),
    ],
)
def test_what_a_policy_may_ask_is_found_and_nothing_less(line: str, needs: set[str]) -> None:
    assert read_policy(HEAD + line).needs == needs


def test_a_rule_that_allows_is_found_outside_comments_and_texts_only() -> None:
    assert not read_policy(f'{HEAD}# allow "\ndeny contains "allow" if true').has_allow
    assert not read_policy(f"{HEAD}# it`s\ndeny := true\n# it`s").has_allow
    assert read_policy(f"{HEAD}# it`s\nallow := true\n# it`s").has_allow
    assert read_policy(f'{HEAD}deny contains "#" if true\nallow := true').has_allow


@each(
    "source, words",
    [
        ("allow := true", "Begin with"),
        ("package a\npackage b\nallow := true", "Begin with"),
        (f"{HEAD}permit := true", "Write a rule"),
        (f'{HEAD}deny contains "x" if input.document.atributes.a', "input.document.atributes"),
        (f"{HEAD}allow if input.queryParameters.siteId", "input.queryParameters"),
        (HEAD + "#" * LONGEST + "\nallow := true", "up to"),
    ],
)
def test_what_is_no_policy_is_refused_with_what_to_change(source: str, words: str) -> None:
    with pytest.raises(Refused, match=words):
        read_policy(source)


def test_every_example_is_a_policy() -> None:
    assert all(read_policy(load_example(name)).package == "countersign" for name in TITLES)
    assert not load_example("../by_hour")
