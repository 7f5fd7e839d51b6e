"""A word of a document is in no log of any process at any level, whatever raises on the way and whoever logs it."""

import json
import re
import time
import urllib.error
import urllib.request
import wave
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings

from config.errors import NotFound
from config.table import DEFAULT_SITE
from projects.settings import actions as project_actions
from projects.settings.values import ProjectSettings
from projects.sites import api_keys
from projects.sites.permissions import Permission
from review import queries as review_queries
from tests.commands.desk import overrides
from tests.factories import ref_of, sample_files
from tests.flow.processes import LiveDesk, account, looking_at, prepare, through, wait_for
from tests.flow.test_processes import signed_in
from tests.flow.visitor import Visitor
from tests.generated.kinds import LINES, every_kind
from tests.projects.make_sites import BY
from tests.smoke.demo import Demo
from workflows.runs import queries
from workflows.runs.items import Run, RunStatus

pytestmark = [pytest.mark.slow, pytest.mark.processes]

MARKER = "Quagmire4711"
BRISK: dict[str, int | str] = {
    "SWEEP_SECONDS": 2,
    "REVIEW_UNDO_SECONDS": 1,
    "REPAIR_AFTER_SECONDS": 2,
    "LOG_LEVEL": "DEBUG",
}
TALKATIVE = ("celery", "-A", "tests.flow.talkative", "worker", "-c", "1", "--without-gossip", "--without-mingle")
QUEUES = tuple(settings.QUEUE_URLS)
# What is made to raise, and on what kind of file it does; bda_processor needs a service.
RAISES = {
    "segment_prep": "txt",
    "format_parser": "txt",
    "paddleocr_processor": "jpg",
    "transcribe": "wav",
    "webcrawler": "webreq",
    "segment_builder": "txt",
    "segment_analyzer": "txt",
    "page": "txt",
    "assess": "txt",
    "graph_builder": "txt",
    "document_summarizer": "txt",
    "review.tasks.sweep": "txt",
    "workflows.tasks.index_document": "txt",
    "workflows.tasks.unpack": "zip",
}


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[LiveDesk]:
    prepare(tmp_path / "prepared", **account())
    desk = LiveDesk(tmp_path / "prepared", tmp_path / "desk", **overrides(**BRISK))
    (desk.state / "quote").write_text(f"Total {MARKER} 12.34")
    try:
        desk.start_emulator()
        bind = f"127.0.0.1:{desk.env['COUNTERSIGN_PORT']}"
        desk.start("web", "gunicorn", "tests.flow.talkative", "-b", bind, "-k", "gthread", "--threads", "4")
        desk.start("worker", *TALKATIVE, "-l", "DEBUG", "-Q", ",".join(QUEUES), "-n", "worker@localhost")
        desk.start("beat", "celery", "-A", "tests.flow.talkative", "beat", "-l", "DEBUG", "--pidfile=")
        with looking_at(desk):
            yield desk
    finally:
        desk.stop()


def talks(desk: LiveDesk, name: str) -> None:
    (desk.state / "talks").write_text(name)


def paper(folder: Path, kind: str, number: int) -> Path:
    """Its name, and its text if its kind has one, hold the marker."""
    path = folder / f"{MARKER} {number}.{kind}"
    if kind == "wav":
        with wave.open(str(path), "wb") as sound:
            sound.setparams((1, 2, 8000, 0, "NONE", ""))
            sound.writeframes(bytes(16_000))
    elif kind == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr(f"{MARKER} inside.txt", f"The {MARKER} file {number}.")
    elif kind == "jpg":
        picture = next(one for one in sample_files() if one.suffix == ".jpg")
        path.write_bytes(picture.read_bytes() + MARKER.encode())
    elif kind == "webreq":
        path.write_text(json.dumps({"url": f"https://{MARKER}.invalid/", "instruction": MARKER}))
    else:
        path.write_text(f"Invoice {number}\n{MARKER} Holdings\nTotal 12.34\nThe {MARKER} pays within 30 days.\n")
    return path


def ask(desk: LiveDesk, key: str, path: str, body: object = None) -> int:
    head = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{desk.web}/api/v1/{path}", data, head)
    try:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=20) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as refused:
        with refused:
            return int(refused.code)


def go_the_whole_way(desk: LiveDesk, rosa: Visitor, run: Run, key: str) -> None:
    """Claimed, typed into, corrected, decided, found, asked for by a program, and asked about in vain."""
    wait_for(lambda: bool(review_queries.list_queue(DEFAULT_SITE).rows), "a review", 60)
    ref = ref_of(run)
    page = rosa.claim(ref)
    rosa.save_draft(ref, page, company=f"{MARKER} Ltd")
    assert rosa.decide(ref, page, company=f"{MARKER} Ltd", date="2025-11-14", total="12.34") == 200
    wait_for(lambda: queries.execution(run).status != RunStatus.RUNNING, "the decision", 60)
    at = f"documents/{run.document_id}/runs/{run.workflow_id}"
    assert [ask(desk, key, one) for one in (at, f"{at}/result", f"search?q={MARKER}")] == [200, 200, 200]
    assert rosa.get(f"/documents/?q={MARKER}")[0] == 200
    assert (
        rosa.post(f"/workflows/{run.document_id}/{run.workflow_id}/segments/0/questions/ask/", {"question": MARKER})[0]
        < 400
    )
    assert ask(desk, key, "reviews", {"id": MARKER, "title": MARKER, "text": MARKER, "queue": MARKER}) == 422
    assert ask(desk, key, "reviews", {"id": MARKER, "title": MARKER, "text": f"{MARKER}?"}) == 201
    assert ask(desk, key, f"batches/{MARKER}") == 404
    assert rosa.get(f"/{MARKER}/")[0] == 404


def failures(desk: LiveDesk, name: str) -> int:
    return sum(line.get("error") == "ValueError" for line in desk.logged(name))


@pytest.mark.timeout(300)
def test_a_word_of_a_document_is_in_no_log(desk: LiveDesk, tmp_path: Path) -> None:
    rosa = signed_in(desk)
    projects = {}
    for name, fields in (("reviewed", None), ("published", ())):
        wanted = ProjectSettings(name=f"{MARKER} {name}", document_prompt=f"Papers of {MARKER}.")
        wanted = wanted if fields is None else ProjectSettings(name=wanted.name, fields=fields)
        project_id = project_actions.new_project_id()
        projects[name] = project_actions.create_project(DEFAULT_SITE, wanted, by=BY, project_id=project_id).id
    _, key = api_keys.create_api_key(DEFAULT_SITE, "Scanner", list(Permission), by=BY)
    go_the_whole_way(desk, rosa, rosa.upload(projects["reviewed"], paper(tmp_path, "txt", 0)), key)
    for number, (name, kind) in enumerate(RAISES.items(), 1):
        before = failures(desk, "worker")
        talks(desk, name)
        rosa.send(projects["published"], paper(tmp_path, kind, number))
        wait_for(lambda before=before: failures(desk, "worker") > before, f"{name} raises", 40)  # type: ignore[misc]
    talks(desk, "web")
    assert rosa.get(f"/documents/?q={MARKER}")[0] == 500
    assert ask(desk, key, f"search?q={MARKER}") == 500
    assert failures(desk, "web") == 2
    desk.stop()
    logs = {path.name: path.read_text(errors="replace") for path in desk.state.rglob("*.log")}
    assert {"web.log", "worker.log", "beat.log", "emulator.log"} <= set(logs)
    assert [name for name, text in logs.items() if re.search(MARKER, text, re.IGNORECASE)] == []


# Of the lines that are in each file; the demo's samples have others.
WORDS = re.compile(rf"{MARKER}|lantern|northbridge|drawing.paper|120[.,]50|{re.escape(LINES[3])}", re.IGNORECASE)
PROJECT = "proj_receipts-and-invoices"


def files_full_of_it(folder: Path, level: str) -> list[Path]:
    """At the level that says most: each kind of file, whole and cut off in the middle, where parsers complain."""
    full = folder / f"{MARKER} full.txt"
    full.write_text(f"Invoice\n{MARKER} Ltd\nTotal 12.34\n" + f"{MARKER} " * 20_000)
    names = folder / f"{MARKER} names.csv"
    names.write_text("\n".join(f"{MARKER} {number};{MARKER}@{MARKER}.example;{number}.50" for number in range(2_000)))
    found = [full, names]
    kinds = every_kind(folder / "kinds", f"{MARKER} ").values()
    for path in kinds if level == "DEBUG" else [one for one in kinds if one.suffix in {".pdf", ".jpg", ".eml", ".xml"}]:
        cut = path.with_name(f"{MARKER} cut {path.name}")
        cut.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
        found += [path, cut]
    return found


def send_if_taken(rosa: Visitor, path: Path) -> Run | None:
    """None if it was refused, as a file that is cut off may be."""
    try:
        return rosa.upload(PROJECT, path)
    except AssertionError:
        return None


def is_resting(run: Run) -> bool:
    """Whether it has ended, or waits for a person; a container has no run, its files have."""
    try:
        found = queries.execution(run)
    except NotFound:
        return True
    return found.status != RunStatus.RUNNING or waits(run)


def waits(run: Run) -> bool:
    try:
        found = queries.execution(run)
        if found.status != RunStatus.RUNNING or not found.result_sha256:
            return False
        return bool(review_queries.get_review(ref_of(run)))
    except NotFound:
        return False


@pytest.mark.timeout(900)
@pytest.mark.parametrize("level", ["DEBUG", "INFO", "WARNING", "ERROR"])
def test_the_shipped_processes_log_no_word_of_any_kind_of_file_at_any_level(level: str, tmp_path: Path) -> None:
    """``manage.py demo`` as it is: web server, all its workers, sweeper, clock, emulator, programs that inspect."""
    demo = Demo(tmp_path / "demo", **overrides(LOG_LEVEL=level, SWEEP_SECONDS=2, REVIEW_UNDO_SECONDS=1), **account())
    try:
        demo.start()
        rosa = Visitor(demo.web, patience=60)
        rosa.sign_in("rosa", demo.password("rosa"))
        runs = [run for path in files_full_of_it(tmp_path, level) if (run := send_if_taken(rosa, path))]
        with through(demo.aws):
            wait_for(lambda: all(map(is_resting, runs)), "every file's end or review", 600)
            waiting = [one for one in runs if waits(one)]
            assert waiting
            for ref in map(ref_of, waiting[:3]):
                page = rosa.claim(ref)
                rosa.save_draft(ref, page, company=f"{MARKER} Ltd")
                assert rosa.decide(ref, page, company=f"{MARKER} Ltd", date="2025-11-14", total="12.34") == 200
        for path in (f"/documents/?q={MARKER}", f"/search/?q={MARKER}", f"/{MARKER}/"):
            rosa.get(path)
        time.sleep(8)  # a sweep, and what follows decisions
    finally:
        demo.stop()
        demo.end()
    logs = {path.name: path.read_text(errors="replace") for path in (tmp_path / "demo/state").rglob("*.log*")}
    assert {"web.log", "worker-steps.log", "worker-slices.log", "worker-desk.log", "emulator.log"} <= set(logs)
    assert [
        (name, found[0]) for name, text in (logs | {"said": demo.said}).items() if (found := WORDS.search(text))
    ] == []
