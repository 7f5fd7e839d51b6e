"""What of ``requirements.lock`` a deployment needs: the project's dependencies and theirs, no tool of development."""

import re
import tomllib
from importlib import metadata
from pathlib import Path

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_EXTRA = re.compile(r"extra\s*==\s*['\"]([^'\"]+)['\"]")


def runtime_lock(root: Path) -> str:
    """The lock's own entries, hashes and all, of what is installed here and reached from ``project.dependencies``."""
    wanted = tomllib.loads((root / "pyproject.toml").read_text())["project"]["dependencies"]
    names = _reached(wanted)
    entries = re.split(r"\n(?=\S)", (root / "requirements.lock").read_text())
    return "\n".join(entry.rstrip("\n") for entry in entries if _normal(_NAME.match(entry)) in names) + "\n"


def _reached(wanted: list[str]) -> set[str]:
    found: set[str] = set()
    seen: set[str] = set()
    waiting = list(wanted)
    while waiting:
        requirement = waiting.pop()
        if requirement in seen:
            continue
        seen.add(requirement)
        head = requirement.partition(";")[0]
        name = _normal(_NAME.match(requirement))
        extras = set(re.findall(r"[\w-]+", (re.search(r"\[([^\]]*)\]", head) or ["", ""])[1]))
        try:
            needed = metadata.requires(name) or []
        except metadata.PackageNotFoundError:  # for another platform, or an extra that nobody asked for
            continue
        found.add(name)
        for other in needed:
            extra = _EXTRA.search(other)
            if extra is None or extra[1] in extras:
                waiting.append(other)
    return found


def _normal(found: re.Match[str] | None) -> str:
    """As package indexes compare names.

    >>> _normal(_NAME.match("Django_Storages[s3]>=1.14"))
    'django-storages'
    """
    return re.sub(r"[-_.]+", "-", found[0]).lower() if found else ""
