"""The CloudFormation template: one body laid together from the parts in ``infrastructure/``, one noun each."""

from collections.abc import Iterable, Iterator
from pathlib import Path

FOLDER = Path(__file__).with_name("infrastructure")
_HEAD = """AWSTemplateFormatVersion: "2010-09-09"
Description: Countersign - tables, bucket, key, queues, event bus, alarms and roles
"""
_SECTIONS = ("Parameters", "Conditions", "Resources", "Outputs")


def template_body() -> str:
    """One template, since the parts refer to each other and stand or fall together (ADR 0012).

    As text, so that CloudFormation's short forms need no YAML parser of ours. Comments are left out, so that a better
    sentence updates no stack, and levels are one column deep, since a request takes 51,200 bytes.
    """
    sections: dict[str, list[str]] = {name: [] for name in _SECTIONS}
    for path in sorted(FOLDER.glob("*.yaml")):
        for section, line in _lines(path.read_text()):
            sections[section].append(line)
    return _HEAD + "".join(f"{name}:\n" + "".join(lines) for name, lines in sections.items() if lines)


def _lines(part: str) -> Iterator[tuple[str, str]]:
    """Each line with its section. Raises: KeyError later, where a part has a section that is none of the four."""
    section = ""
    for line in _narrow(part.splitlines()):
        if line[0] != " ":
            section = line.rstrip().removesuffix(":")
        else:
            yield section, line + "\n"


def _narrow(lines: Iterable[str]) -> Iterator[str]:
    """What the lines say, without comments and with each level one column deeper than the last.

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
