"""The CloudFormation template, assembled from the parts in ``infrastructure/``."""

from collections.abc import Iterable, Iterator
from pathlib import Path

FOLDER = Path(__file__).with_name("infrastructure")
_HEAD = """AWSTemplateFormatVersion: "2010-09-09"
Description: Countersign - tables, bucket, key, queues, event bus, alarms and roles
"""
_SECTIONS = ("Parameters", "Conditions", "Resources", "Outputs")


def template_body() -> str:
    """Return the whole template: the parts refer to each other and are deployed together (ADR 0012).

    It is assembled as text, since CloudFormation's short forms are no standard YAML. Comments are stripped, so that
    editing one does not update a stack, and indentation is one column, since a request takes at most 51,200 bytes.
    """
    sections: dict[str, list[str]] = {name: [] for name in _SECTIONS}
    for path in sorted(FOLDER.glob("*.yaml")):
        for section, line in _lines(path.read_text()):
            sections[section].append(line)
    return _HEAD + "".join(f"{name}:\n" + "".join(lines) for name, lines in sections.items() if lines)


def _lines(part: str) -> Iterator[tuple[str, str]]:
    """Yield each line with its section. An unknown section raises KeyError later."""
    section = ""
    for line in _narrow(part.splitlines()):
        if line[0] != " ":
            section = line.rstrip().removesuffix(":")
        else:
            yield section, line + "\n"


def _narrow(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines without comments, indented by one column per level.

    >>> list(_narrow(["a:", "    - b: 1  # why", "      c:", "        d: 2"]))
    ['a:', ' - b: 1', '   c:', '    d: 2']
    """
    levels = [(0, 0)]  # the column of each open level as it is written, and as it becomes
    for line in lines:
        text = line.lstrip(" ")
        if not text or text.startswith("#"):
            continue
        column = len(line) - len(text)
        while levels[-1][0] > column:
            levels.pop()
        if levels[-1][0] < column:
            levels.append((column, levels[-1][1] + 1))
        yield " " * levels[-1][1] + text.partition("  # ")[0].rstrip()
        if text.startswith("- "):  # what stands after the dash is a level of its own
            levels.append((column + 2, levels[-1][1] + 2))
