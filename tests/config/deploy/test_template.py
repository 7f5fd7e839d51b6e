from typing import Any

import pytest
import yaml
from django.core.management import call_command

from config.deploy import template


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(template, "FOLDER", tmp_path)
    return tmp_path


def test_sections_of_the_same_name_become_one_in_the_order_of_the_parts(folder):
    (folder / "b.yaml").write_text("Resources:\n  Two: {}\n\nOutputs:\n  Second: {}\n")
    (folder / "a.yaml").write_text("Parameters:\n  Name: {}\nResources:\n  One: {}\n")
    laid = template.template_body().partition("roles\n")[2]
    assert laid == "Parameters:\n Name: {}\nResources:\n One: {}\n Two: {}\nOutputs:\n Second: {}\n"


def test_a_reworded_comment_changes_no_stack(folder):
    (folder / "a.yaml").write_text("# one\nResources:\n  # two\n  One: {}  # three\n")
    before = template.template_body()
    (folder / "a.yaml").write_text("Resources:\n\n  # four\n  One: {}  # five\n")
    assert template.template_body() == before


class ShortForms(yaml.SafeLoader):
    """Reads ``!Ref x`` as the pair of its tag and what it says."""


def construct_short_form(loader: ShortForms, tag: str, node: yaml.Node) -> tuple[str, Any]:
    if isinstance(node, yaml.ScalarNode):
        return tag, loader.construct_scalar(node)
    if isinstance(node, yaml.SequenceNode):
        return tag, loader.construct_sequence(node, deep=True)
    assert isinstance(node, yaml.MappingNode)
    return tag, loader.construct_mapping(node, deep=True)


ShortForms.add_multi_constructor("!", construct_short_form)


def test_the_body_says_what_the_parts_say_with_levels_one_column_deep():
    parts: dict[str, Any] = {}
    for path in template.FOLDER.glob("*.yaml"):
        for section, named in yaml.load(path.read_text(), ShortForms).items():
            parts.setdefault(section, {}).update(named)
    body = template.template_body()
    laid = yaml.load(body, ShortForms)
    assert {section: laid[section] for section in parts} == parts
    assert "\nResources:\n AlarmTopic:\n  Type: AWS::SNS::Topic\n" in body


def test_a_section_that_there_is_not_is_refused(folder):
    (folder / "a.yaml").write_text("Resorces:\n  One: {}\n")
    with pytest.raises(KeyError, match="Resorces"):
        template.template_body()


def test_the_command_prints_what_bootstrap_deploys(capsys):
    call_command("template")
    assert capsys.readouterr().out == template.template_body()
