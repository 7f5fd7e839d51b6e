"""Import and export of prompts as a YAML file for version control; imported files are untrusted.

PyYAML's base loader reads everything as text: tags create no objects, and nothing becomes a number or date. Aliases are
refused, since a few lines can expand to gigabytes; so are excessive depth and size, and unknown entries.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import yaml
from django.utils.translation import gettext

from config.errors import Refused
from config.phrase import Phrase
from projects.prompts.prompt import BY_TYPE, PURPOSES, Prompt, clean_text, find_problems

LONGEST_FILE = 512 * 1024  # bytes
LONGEST_NOTE = 200  # characters
_MOST = 40  # prompts of a file
_DEEPEST = 4
_MOST_NODES = 1_000  # of the largest file that can be read, twice; PyYAML takes seconds for what many more are
_FORMAT = "1"
_HEAD = "# Prompts of Countersign: import them on the page Prompts of a project.\n"
_NEEDED = {"purpose", "instructions", "message"}
_KNOWN = _NEEDED | {"note", "document_type"}


@dataclass(frozen=True)
class FiledPrompt:
    """``document_type``: the name of the classification that it is for, since ids are a site's; empty: general."""

    prompt: Prompt
    note: str = ""
    document_type: str = ""


class _Loader(yaml.BaseLoader):
    """Raises: Refused, at what a file of prompts does not need."""

    def __init__(self, stream: str) -> None:
        super().__init__(stream)
        self._depth = self._nodes = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            raise Refused(gettext("The file uses aliases (*name). Write each text out."))
        if self._depth >= _DEEPEST or self._nodes >= _MOST_NODES:
            raise Refused(
                gettext("This is not a prompt file: it is nested too deeply or too large. Export one to compare.")
            )
        self._depth += 1
        self._nodes += 1
        try:
            return super().compose_node(parent, index)
        finally:
            self._depth -= 1

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        names = [key.value for key, _ in node.value]
        if any(not isinstance(name, str) for name in names):
            raise Refused(gettext("The file has an entry whose name is not text."))
        if len(set(names)) < len(names):
            raise Refused(
                gettext("The file names %(names)s twice in one place. Keep one of them.")
                % {"names": _find_double(names)}
            )
        return super().construct_mapping(node, deep)


class _Dumper(yaml.SafeDumper):
    """Texts of several lines stand as they are typed, so that a diff in git shows the line that changed."""


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    # The control character U+0085 is a line break to YAML: only a quoted text keeps it.
    style = '"' if "\x85" in text else "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _represent_text)


def write_prompts(filed: Iterable[FiledPrompt]) -> str:
    """The inverse of ``read_prompts``."""
    prompts = [
        {
            "purpose": one.prompt.purpose,
            **({"document_type": one.document_type} if one.document_type else {}),
            **({"note": one.note} if one.note else {}),
            "instructions": one.prompt.instructions,
            "message": one.prompt.message,
        }
        for one in filed
    ]
    content = {"format": int(_FORMAT), "prompts": prompts}
    return _HEAD + yaml.dump(content, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=120)


def decode_file(body: bytes) -> str:
    """Raises: Refused."""
    if len(body) > LONGEST_FILE:
        raise Refused(
            gettext("The file is larger than %(value)s KB. Import its prompts in parts.")
            % {"value": LONGEST_FILE // 1024}
        )
    try:
        return body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Refused(gettext("The file is not UTF-8 text. Save it as UTF-8 and import it again.")) from error


def read_prompts(text: str) -> list[FiledPrompt]:
    """
    Raises:
        Refused: with what is wrong and in which prompt; what could not be saved is refused here already.

    """
    if len(text.encode(errors="replace")) > LONGEST_FILE:
        raise Refused(
            gettext("The file is larger than %(value)s KB. Import its prompts in parts.")
            % {"value": LONGEST_FILE // 1024}
        )
    content = _load(text)
    if not isinstance(content, dict) or set(content) != {"format", "prompts"}:
        raise Refused(gettext("The file needs exactly two entries: format, and prompts as a list."))
    if content["format"] != _FORMAT:
        raise Refused(
            gettext("This version reads files of format %(format)s. Export the prompts again.") % {"format": _FORMAT}
        )
    listed = content["prompts"]
    if not isinstance(listed, list) or not listed:
        raise Refused(gettext("The file has no prompts. List at least one."))
    if len(listed) > _MOST:
        raise Refused(gettext("The file has more than %(most)s prompts. Import it in parts.") % {"most": _MOST})
    found = [_read_prompt(number, one) for number, one in enumerate(listed, 1)]
    which = [f"{one.prompt.purpose} {one.document_type}".strip() for one in found]
    if len(set(which)) < len(which):
        raise Refused(
            gettext("The file has two prompts for %(which)s. Keep one of them.") % {"which": _find_double(which)}
        )
    return found


def _load(text: str) -> Any:
    """Raises: Refused."""
    try:
        loader = _Loader(text)
        try:
            return loader.get_single_data()
        finally:
            loader.dispose()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = Phrase(" in line %(line)s").fill(line=mark.line + 1) if mark else ""
        raise Refused(
            gettext("The file is not valid YAML%(where)s. Check indentation and quotes.") % {"where": where}
        ) from error


def _read_prompt(number: int, entry: Any) -> FiledPrompt:
    """Raises: Refused."""
    if not isinstance(entry, dict) or any(not isinstance(one, str) for one in entry.values()):
        raise Refused(
            gettext("Prompt %(number)s needs the entries purpose, instructions and message, each with a text.")
            % {"number": number}
        )
    if unknown := sorted(set(entry) - _KNOWN):
        raise Refused(
            gettext("Prompt %(number)s has an entry that nothing reads: %(unknown)s.")
            % {"number": number, "unknown": unknown[0][:40]}
        )
    if missing := sorted(_NEEDED - set(entry)):
        raise Refused(gettext("Prompt %(number)s lacks %(missing)s.") % {"number": number, "missing": missing[0]})
    return _check_prompt(number, entry)


def _check_prompt(number: int, entry: Mapping[str, str]) -> FiledPrompt:
    """Raises: Refused."""
    purpose = PURPOSES.get(entry["purpose"])
    if purpose is None:
        raise Refused(
            gettext("Prompt %(number)s has an unknown purpose. Use one of: %(purposes)s.")
            % {"number": number, "purposes": ", ".join(PURPOSES)}
        )
    note = entry.get("note", "").strip()
    if len(note) > LONGEST_NOTE:
        raise Refused(
            gettext("Prompt %(number)s: shorten the note to %(longest_note)s characters.")
            % {"number": number, "longest_note": LONGEST_NOTE}
        )
    parts = {part: clean_text(entry[part]) for part in ("instructions", "message")}
    for part, text in parts.items():
        if problems := find_problems(purpose, part, text):
            raise Refused(
                gettext("Prompt %(number)s, %(part)s: %(problems)s")
                % {"number": number, "part": part, "problems": " ".join(problems)}
            )
    document_type = entry.get("document_type", "").strip()
    if document_type and purpose.name not in BY_TYPE:
        raise Refused(
            gettext("Prompt %(number)s: %(name)s has no prompts for single document types.")
            % {"number": number, "name": purpose.name}
        )
    return FiledPrompt(Prompt(purpose.name, **parts), note, document_type)


def _find_double(names: Iterable[str]) -> str:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name[:40]
        seen.add(name)
    return ""
