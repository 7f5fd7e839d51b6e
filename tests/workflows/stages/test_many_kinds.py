"""155 documents of every kind through all stages: each ends with a result, or with a sentence that says why not."""

import logging
from collections import Counter
from pathlib import Path

import pytest
from django.conf import settings

from config.errors import CountersignError
from tests.generated import abroad, unlike
from tests.generated.kinds import every_kind
from tests.tools.generated import KINDS, write_papers
from tests.workflows.stages.memory import context, kept, run_all
from workflows.intake import inspection_pool
from workflows.stages.formats import CONTAINERS

SAMPLES = Path(settings.BASE_DIR).parent / "shared/samples"
NO_DOCUMENTS = {".md", ".jsonl", ".json"}
AT_LEAST, KINDS_AT_LEAST = 155, 14
# Words of the generated papers' content alone, in no name of a file.
CONTENT = ("lantern", "northbridge", "quill stationers", "drawing paper")


def gather(folder: Path) -> list[Path]:
    """Given ones where they lie beside the checkout, and generated ones until there are enough."""
    found = [path for path in sorted(SAMPLES.rglob("*")) if path.is_file() and path.suffix not in NO_DOCUMENTS]
    found += every_kind(folder / "kinds").values()
    for module in (abroad, unlike):
        found += sorted(module.fill(folder / module.__name__, 6, 12).parent.glob("*.jpg"))
    each = -(-(AT_LEAST - len(found)) // len(KINDS))
    for kind in KINDS:
        found += sorted(write_papers(kind, each, folder / kind, 12).glob("*.pdf"))
    return found


def end_of(path: Path) -> str:
    """``read``, ``container``, or the name of the domain error with which it was refused."""
    try:
        kind = inspection_pool.inspect(path, path.name, containers=True).file_type
        if kind in CONTAINERS:
            return "container"
        ctx = context(path, kind)
        run_all(ctx)
    except CountersignError as error:
        return type(error).__name__ if str(error).strip() else "refused without a sentence"
    assert kept(ctx).json("runs/run1/result.json")["fields"]
    return "read"


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_no_document_of_any_kind_crashes_or_is_told_to_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    ends: Counter[str] = Counter()
    crashed: dict[str, str] = {}
    kinds = set()
    paths = gather(tmp_path)
    for path in paths:
        kinds.add(path.suffix.lower())
        try:
            ends[end_of(path)] += 1
        except Exception as error:  # noqa: BLE001 - what a crash is
            crashed[path.name] = type(error).__name__
    said = caplog.text.casefold()
    print(len(paths), "documents of", len(kinds), "kinds:", dict(ends))
    assert not crashed
    assert not ends["refused without a sentence"]
    assert not [word for word in CONTENT if word in said]
    assert len(paths) >= AT_LEAST
    assert len(kinds) >= KINDS_AT_LEAST
