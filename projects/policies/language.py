"""Static checks of a policy's text: package, rules, and the facts it uses. Pure functions."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext

from config.errors import Refused
from config.phrase import Figure

LONGEST = 20_000  # characters
# What a policy can ask, as the page and the guide list it.
KNOWN: Mapping[str, Sequence[str]] = {
    "site": (),
    "action": (),
    "user": ("id", "username", "groups", "roles", "kind"),
    "document": (
        "id", "name", "path", "folder_id", "queue_id", "project_id", "project", "type_id", "status", "file_type",
        "file_size", "uploaded_by", "created_at", "attributes", "tags",
    ),
    "time": ("ns", "iso", "date", "hour", "minute", "weekday"),
}  # fmt: skip
ATTRIBUTES, TAGS = "attributes", "tags"  # each a Query for a document
_ASIDE = re.compile(r'#[^\n]*|"(?:\\.|[^"\\\n])*"|`[^`]*`')  # comments and texts, whichever begins first
_PACKAGE = re.compile(r"^\s*package\s+([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)[ \t]*$", re.MULTILINE)
_PACKAGES = re.compile(r"^\s*package\b", re.MULTILINE)
_ASKED = re.compile(r"(?<![\w.])input\b(?:\.(\w+)(?:\.(\w+))?)?")


@dataclass(frozen=True)
class PolicyText:
    """``package``: of its rules. ``has_allow``: an ``allow`` rule exists, so everything else is denied.

    ``needs``: the part of ``ATTRIBUTES`` and ``TAGS`` that it may depend on.
    """

    source: str
    package: str
    has_allow: bool
    needs: frozenset[str]


def read_policy(source: str) -> PolicyText:
    """Raises: Refused, with what to change."""
    if len(source) > LONGEST:
        raise Refused(
            gettext("A policy can have up to %(longest)s characters.")
            % {"longest": Figure(f"{LONGEST:,}").translated()}
        )
    bare = _ASIDE.sub(lambda found: "" if found[0].startswith("#") else '""', source)
    packages = _PACKAGE.findall(bare)
    if len(packages) != 1 or len(_PACKAGES.findall(bare)) != 1:
        raise Refused(gettext("Begin with one line “package countersign”."))
    has_allow = re.search(r"\ballow\b", bare) is not None
    if not has_allow and not re.search(r"\bdeny\b", bare):
        raise Refused(gettext("Write a rule “deny”, with reasons, or a rule “allow”."))
    return PolicyText(source, packages[0], has_allow, _find_needs(bare))


def _find_needs(bare: str) -> frozenset[str]:
    """Refuse unknown names: a rule that denies by one would never match.

    Dynamic references may need all facts.
    """
    needs: set[str] = set()
    for part, name in _ASKED.findall(bare):
        if part not in KNOWN or (KNOWN[part] and not name):
            if part and part not in KNOWN:
                raise Refused(f"“input.{part}” does not exist. Use {', '.join(f'input.{one}' for one in KNOWN)}.")
            needs |= {ATTRIBUTES, TAGS}
        elif name and KNOWN[part] and name not in KNOWN[part]:
            raise Refused(
                gettext("“input.%(part)s.%(name)s” does not exist. Use one of: %(known)s.")
                % {"part": part, "name": name, "known": ", ".join(KNOWN[part])}
            )
        elif name in {ATTRIBUTES, TAGS}:
            needs.add(name)
    return frozenset(needs)
