"""Licences of all locked packages, from their own metadata, for ``docs/licences.md``."""

import re
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

_HEAD = """# Licences of what Countersign stands on

Countersign itself is under the MIT licence. Made by `make licences` from the locks and what the installed
packages say of themselves; `tests/docs/test_licences.py` holds it. *Runs* is in `runtime.lock`, which a deployment's
image installs; *development* only where tests and checks run, and is not handed on. *Demo model* is in `model.lock`,
and only where `make demo-model` and the tests run.

Nothing here asks for more than its own notice and source of whoever uses Countersign, or changes it, under the MIT
licence. What is under a copyleft licence, or has parts that are, stands first, with what follows from it.
"""
_NAMED = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_COPYLEFT = re.compile(r"GPL|MPL|EUPL|CDDL|Mozilla|GNU|Affero", re.IGNORECASE)
# Licence texts that lie in a wheel, also those of libraries that it brings along.
_TEXTS = re.compile(r"(?:LICEN|COPYING|NOTICE|THIRD)", re.IGNORECASE)
_GNU = re.compile(r"GNU\s+(?:LESSER\s+|LIBRARY\s+|AFFERO\s+)?GENERAL\s+PUBLIC\s+LICEN|\bLGPL|\bGPLv", re.IGNORECASE)
# Where a package says nothing that a program can read.
_SAID = {"axe-playwright-python": "MIT", "pypdfium2": "BSD-3-Clause AND Apache-2.0"}
_OPEN = "a library of its own, loaded as it is and exchangeable; nothing of it is changed"
_COMPILER = (
    "Its wheel brings parts of a compiler's runtime, under the GPL with the exception for programs that use them."
)
NOTES = {
    "certifi": f"MPL-2.0: {_OPEN}.",
    "django": "Its text quotes Python's licence, which says that it is compatible with the GPL.",
    "djlint": "GPL-3.0: a program that checks templates in development. It is run, not imported, and not handed on.",
    "fido2": f"Its wheel brings the list of public suffixes (MPL-2.0): {_OPEN}.",
    "hypothesis": "MPL-2.0: in tests only.",
    "lxml": "A script of its source that is not in the wheel is under the GPL.",
    "numpy": _COMPILER,
    "opencv-python-headless": f"Its wheel brings FFmpeg (LGPL-2.1): {_OPEN}.",
    "pathspec": "MPL-2.0: in development only.",
    "pi-heif": f"Its wheel brings libheif and libde265 (LGPL-3.0): {_OPEN}. It only reads.",
    "pikepdf": f"MPL-2.0: {_OPEN}. {_COMPILER}",
    "pillow": "Its wheel brings FreeType and liblzma, which may be taken under licences other than the GPL, and are.",
    "pillow-heif": "Its wheel brings x265 (GPL-2.0). It writes the pictures that tests send, and is not handed on.",
    "psycopg": f"LGPL-3.0: {_OPEN}.",
    "psycopg-binary": f"LGPL-3.0: {_OPEN}.",
    "pyarrow": "Its text quotes LLVM's exception for programs that are under the GPL; nothing in it is.",
    "pycurl": "LGPL-2.1 or MIT: it is taken under the MIT licence.",
    "pypdfium2": _COMPILER,
    "python-stdnum": f"LGPL-2.1 or later: {_OPEN}.",
    "scipy": _COMPILER,
    "shapely": f"Its wheel brings GEOS (LGPL-2.1): {_OPEN}.",
    "tqdm": f"MPL-2.0 and MIT: {_OPEN}.",
    "typing-extensions": "Its text is Python's licence, which says that it is compatible with the GPL.",
}


@dataclass(frozen=True)
class Package:
    """``where``: runtime, development or demo model. ``copyleft``: whether its licence, or one bundled in its wheel, is
    copyleft; ``NOTES`` then says what follows from it.
    """

    name: str
    licence: str
    where: str
    copyleft: bool


def list_packages(root: Path) -> list[Package]:
    """Return the locked packages that are installed here; a few are for other platforms."""
    places = dict.fromkeys(_names((root / "requirements.lock").read_text()), "development")
    places |= dict.fromkeys(_names((root / "runtime.lock").read_text()), "runs")
    places |= dict.fromkeys(_names((root / "model.lock").read_text()), "demo model")
    found = []
    for name, where in sorted(places.items()):
        try:
            one = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue
        licence = _licence(name, one)
        copyleft = name in NOTES or bool(_COPYLEFT.search(licence)) or (where == "runs" and _has_gnu(one))
        found.append(Package(name, licence, where, copyleft))
    return found


def licences_page(root: Path) -> str:
    found = list_packages(root)
    rows = [
        f"| {one.name} | {one.licence} | {one.where} | {NOTES.get(one.name, '')} |" for one in found if one.copyleft
    ]
    others = [f"| {one.name} | {one.licence} | {one.where} |" for one in found if not one.copyleft]
    first = "\n| Package | Licence | Where | What follows |\n|---|---|---|---|\n"
    second = "\n\n## Without copyleft\n\n| Package | Licence | Where |\n|---|---|---|\n"
    return _HEAD + first + "\n".join(rows) + second + "\n".join(others) + "\n"


def _names(lock: str) -> list[str]:
    found = (_NAMED.match(line) for line in lock.splitlines() if line[:1].isalnum())
    return [re.sub(r"[-_.]+", "-", one[0]).lower() for one in found if one]


def _licence(name: str, one: metadata.Distribution) -> str:
    about: Any = one.metadata  # a message, of which the stubs know less
    said = about.get("License-Expression") or _SAID.get(name)
    if said:
        return str(said)
    classes = [text.rpartition("::")[2].strip() for text in about.get_all("Classifier") or ()
               if text.startswith("License ::")]  # fmt: skip
    named = [text for text in classes if "approved" not in text.lower()]
    text = str(about.get("License") or "").strip().partition("\n")[0]
    return ", ".join(named) or text or "unknown"


def _has_gnu(one: metadata.Distribution) -> bool:
    texts = [file for file in one.files or () if ".dist-info/" in str(file) and _TEXTS.search(str(file))]
    return any(_GNU.search(Path(str(one.locate_file(file))).read_text(errors="replace")) for file in texts)
