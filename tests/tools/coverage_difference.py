"""What two runs of the tests cover differently, as ``coverage json`` wrote it of each, with branches.

``python -m tests.tools.coverage_difference before.json after.json``

Only what became worse is listed: files of which more lines or branches are run by no test than before, and which. A
file that moved is found by its name if that is unique.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

Files = Mapping[str, Mapping[str, Any]]


def differences(before: Files, after: Files) -> Iterator[str]:
    """A line a file."""
    once = names(before) & names(after)
    moved = {Path(path).name: path for path in before if path not in after and Path(path).name in once}
    for path, now in sorted(after.items()):
        was = before.get(path) or before.get(moved.get(Path(path).name, ""))
        lines, branches = missing(now)
        lines_before, branches_before = missing(was) if was else ((), ())
        if len(lines) > len(lines_before) or len(branches) > len(branches_before):
            new = "" if was else " (new)"
            yield (
                f"{path}{new}: lines {len(lines_before)} → {len(lines)}, branches {len(branches_before)} → "
                f"{len(branches)}; not run: {lines} {branches}"
            )
    gone = sorted(before.keys() - after.keys() - set(moved.values()))
    yield from (f"{path}: not in the second" for path in gone)


def names(files: Files) -> set[str]:
    """Those that one file alone has."""
    return {name for name, number in Counter(Path(path).name for path in files).items() if number == 1}


def missing(file: Mapping[str, Any]) -> tuple[list[int], list[list[int]]]:
    return file["missing_lines"], file.get("missing_branches", [])


if __name__ == "__main__":
    one, other = (json.loads(Path(path).read_text()) for path in sys.argv[1:3])
    print("\n".join(differences(one["files"], other["files"])) or "Nothing that was covered is uncovered.")
    for which, found in (("before", one), ("after", other)):
        print(f"{which}: {found['totals']['percent_covered']:.2f} %")
