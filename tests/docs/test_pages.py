import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import get_commands
from django.test import client

from projects.documents.items import DocumentStatus
from projects.documents.states import STATUS_LABELS, word_of
from projects.sites import permissions
from tests.tools import pictures
from workflows.batches import views as batches
from workflows.definitions.blueprint import DOCUMENT_ANALYSIS
from workflows.executions import views as executions
from workflows.experiments.views import rows as experiments
from workflows.exports import views as exports
from workflows.runs.views import state_labels

ROOT = Path(settings.BASE_DIR)
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def test_every_link_between_pages_leads_somewhere() -> None:
    links = [(page, link) for page in PAGES for link in re.findall(r"\]\(([^)#:]+)\)", page.read_text())]
    assert links
    assert [f"{page.name}: {link}" for page, link in links if not (page.parent / link).exists()] == []


def test_every_link_to_a_heading_leads_to_one() -> None:
    links = [(page, *link) for page in PAGES for link in re.findall(r"\]\(([^)#:]*)#([^)]+)\)", page.read_text())]
    assert links
    assert [
        f"{page.name}: {to}#{at}" for page, to, at in links if at not in anchors(page.parent / to if to else page)
    ] == []


def anchors(page: Path) -> set[str]:
    """As GitHub makes them of headings: small letters, hyphens for blanks, no other signs."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", one.lower()).replace(" ", "-") for one in headings}


def test_the_first_page_and_the_decisions_stay_short() -> None:
    lengths = {page.name: len(page.read_text().splitlines()) for page in PAGES}
    assert lengths["README.md"] <= 60
    assert [page.name for page in (ROOT / "docs/adr").glob("*.md") if lengths[page.name] > 50] == []


def test_commands_that_pages_name_exist() -> None:
    text = "\n".join(page.read_text() for page in PAGES)
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = {one or other for one, other in re.findall(r"^    make ([\w-]+)|`make ([\w-]+)`", text, re.MULTILINE)}
    assert named - targets == set()
    assert set(re.findall(r"manage\.py (\w+)", text)) - set(get_commands()) == set()


@pytest.mark.wide
def test_operations_that_pages_name_are_the_apis() -> None:
    description = client.Client().get("/api/v1/openapi.json").json()
    known = {(method.upper(), shape(path)) for path, methods in description["paths"].items() for method in methods}
    text = "\n".join(page.read_text() for page in PAGES)
    named = re.findall(r"`(GET|POST|PUT|DELETE) (/api/v1/[^`\s?]+)`", text)
    assert named
    assert [one for one in named if (one[0], shape(one[1])) not in known] == []
    asked = {shape(path) for path in re.findall(r"\$DESK(/api/v1/(?:<[^>]+>|[^\"\s?])+)", text)}
    assert asked - {path for _, path in known} == set()


def shape(path: str) -> str:
    """Whatever its parts are called: ``{id}``, ``$RUN``, ``<id of the answer>``."""
    return re.sub(r"\{[^}]+\}|\$\w+|<[^>]+>", "*", path)


def test_pictures_are_there_and_small() -> None:
    shown = {
        page.parent / picture for page in PAGES for picture in re.findall(r"!\[[^\]]+\]\(([^)]+)\)", page.read_text())
    }
    assert len({picture.resolve() for picture in shown}) >= 2
    assert [picture.name for picture in shown if picture.stat().st_size > pictures.MOST_BYTES] == []
    assert {picture.resolve() for picture in shown} == set((ROOT / "docs/pictures").iterdir())


def test_files_that_pages_name_exist() -> None:
    text = "\n".join(page.read_text() for page in PAGES if page.parent.name != "adr")  # a decision tells of its day
    named = set(re.findall(r"`((?:config|projects|workflows|review|tests|static|templates)/[\w/.-]+)`", text))
    assert len(named) > 20
    assert sorted(one for one in named if not any((at / one).exists() for at in (ROOT, ROOT / "tests"))) == []


def test_words_of_permissions_and_states_are_those_of_the_pages() -> None:
    admins = dict(re.findall(r"^\| ([A-Z]+) \| (.+) \|$", (ROOT / "docs/guides/admins.md").read_text(), re.MULTILINE))
    assert admins == {one.value: words for one, words in permissions.WORDS.items()}
    states = re.findall(r"^\| ([^|]+) \| `(\w+)` \|", (ROOT / "docs/words.md").read_text(), re.MULTILINE)
    assert set(states) - {("Queued", "running")} == {
        (label.words, word_of(status)) for status, label in STATUS_LABELS.items()
    }


def test_words_of_the_states_of_other_things_are_those_of_the_pages() -> None:
    pattern = r"^\| (\w+) \| ([^|]+) \| `(\w+)` \|$"
    told = re.findall(pattern, (ROOT / "docs/words.md").read_text(), re.MULTILINE)
    machine, review = (DOCUMENT_ANALYSIS.named(name) for name in ("assess", "human_review"))
    steps = {state_labels.word_of_step(machine, {"status": one}): mark for one, mark in state_labels.STEPS.items()}
    marks = {
        "step": steps | {state_labels.word_of_step(review, {"status": "in_progress"}): state_labels.WAITING},
        "batch": batches._MARKS,
        "execution": {
            "running": executions._RUNNING, word_of(DocumentStatus.WAITING): executions._WAITING, **executions._ENDS
        },
        "experiment": experiments.MARKS,
        "export": exports._MARKS,
    }  # fmt: skip
    assert set(told) == {(of, mark.words, str(word)) for of, some in marks.items() for word, mark in some.items()}


@pytest.mark.wide
def test_the_site_is_whole_and_asks_no_other_host(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    drawn = (tmp_path / "architecture/index.html").read_text()
    assert "<td>web (Django, htmx)</td>" in drawn
    assert "flowchart" not in drawn
    pages = list(tmp_path.rglob("*.html"))
    assert len(pages) > 50
    fetched = r"<(?:script|img|iframe)[^>]+src=\"([^\"]+)|<link[^>]+rel=\"(?:stylesheet|icon)\"[^>]+href=\"([^\"]+)"
    found = {one or other for page in pages for one, other in re.findall(fetched, page.read_text())}
    assert found
    assert {one for one in found if re.match(r"(?:https?:)?//", one)} == set()
    assert [
        sheet for sheet in tmp_path.rglob("*.css") if re.search(r"url\(['\"]?(?:https?:)?//", sheet.read_text())
    ] == []
