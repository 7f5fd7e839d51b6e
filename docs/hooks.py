"""What MkDocs does beside its own work: the list of decisions, links to a folder, and drawings as tables.

GitHub draws Mermaid; here that would take a script of 3 MB, so its arrows become the rows of a table.
"""

import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the page that lists the decisions, by number."""
    decisions = sorted(Path(config.docs_dir).glob("adr/[0-9]*.md"))
    lines = [f"- [{_title(path)}]({path.name})" for path in decisions]
    text = "\n".join(["# Decisions", "", "Why things are as they are, one page a decision.", "", *lines, ""])
    files.append(File.generated(config, "adr/index.md", content=text))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    linked = re.sub(r"\]\(((?:\.\./)?adr/)\)", r"](\1index.md)", markdown)
    return re.sub(r"```mermaid\n(.*?)```", lambda found: _table(found[1].splitlines()[1:]), linked, flags=re.DOTALL)


def _table(lines: list[str]) -> str:
    """Each arrow ``a -- what --> b`` is a row; a name is told once, ``a["Its name"]``."""
    names: dict[str, str] = {}
    arrows: list[tuple[str, str, str]] = []
    for line in lines:
        parts = re.split(r" --> | -- \"?(.+?)\"? --> ", line.strip())
        for before, what, after in zip(parts[::2], parts[1::2], parts[2::2], strict=False):
            arrows += [(a, what or "", b) for a in _ids(before, names) for b in _ids(after, names)]
    rows = [f"| {names[a]} | {what} | {names[b]} |" for a, what, b in arrows]
    return "\n".join(["| From | What | To |", "|---|---|---|", *rows])


def _ids(text: str, names: dict[str, str]) -> list[str]:
    shape = r"(\w+)(?:[\[({/]+\"?(.*?)\"?[\])}/]+)?"
    found = [re.fullmatch(shape, one.strip()) for one in text.split(" & ")]
    for one in filter(None, found):
        if one[2] or one[1] not in names:
            names[one[1]] = one[2] or one[1]
    return [one[1] for one in found if one]


def _title(path: Path) -> str:
    return path.read_text().partition("\n")[0].removeprefix("# ")
