"""The CloudFormation template: one body laid together from the parts in ``infrastructure/``, one noun each."""

from collections.abc import Iterator
from pathlib import Path

FOLDER = Path(__file__).with_name("infrastructure")
_HEAD = """AWSTemplateFormatVersion: "2010-09-09"
Description: Countersign - tables, bucket, key, queues, event bus, alarms and roles
"""
_SECTIONS = ("Parameters", "Conditions", "Resources", "Outputs")


def template_body() -> str:
    """One template, since the parts refer to each other and stand or fall together (ADR 0012).

    As text, so that CloudFormation's short forms need no YAML parser of ours. Comments stay behind, and a column of the
    indentation: a better sentence is no update of anybody's stack, and a request takes 51,200 bytes.
    """
    sections: dict[str, list[str]] = {name: [] for name in _SECTIONS}
    for path in sorted(FOLDER.glob("*.yaml")):
        for section, line in _lines(path.read_text()):
            sections[section].append(line)
    return _HEAD + "".join(f"{name}:\n" + "".join(lines) for name, lines in sections.items() if lines)


def _lines(part: str) -> Iterator[tuple[str, str]]:
    """Each line with its section. Raises: KeyError later, where a part has a section that is none of the four."""
    section = ""
    for line in part.splitlines(keepends=True):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if line[0] != " ":
            section = line.rstrip().removesuffix(":")
        else:
            yield section, line[1:].partition("  # ")[0].rstrip() + "\n"
