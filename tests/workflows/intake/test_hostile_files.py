"""Files made to harm whoever reads them, through the product's inspection and stages: one test a way of reading.

Each is refused or read, with a sentence and in time, in bounded memory; nothing of this machine or of its network gets
into a document.
"""

import json
import os
import resource
import stat
import time
import traceback
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from email.message import EmailMessage
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from config.errors import CountersignError
from tests.each import each
from tests.examples import ALL
from tests.html import one_line
from tests.people import bob, charlie, signed_in
from tests.projects.projects import make_project
from tests.serving import serving
from tests.workflows import hostile
from tests.workflows.stages.memory import context, kept
from workflows.intake import containers, inspection_pool
from workflows.intake.containers import Limits
from workflows.intake.inspection import Inspection
from workflows.runs import queries
from workflows.stages.pages import ocr
from workflows.stages.pages.ocr import OcrReading
from workflows.stages.registry import STAGES

INSPECTED_SECONDS = 30  # of the wall: a machine of tests is busy
MOST_SECONDS = 60  # of the processor, for all stages of one file
MOST_MB = 1_500  # more than before it was read
FEW = 5


@dataclass
class Trap:
    secret: Path
    port: int
    asked: list[str]


@pytest.fixture
def trap(tmp_path: Path) -> Iterator[Trap]:
    """A file that is nobody's business, and a server that is not to be asked."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"<!ENTITY e 'fetched'>")

        def log_message(self, *_args: object) -> None:
            return

    (tmp_path / "secret").write_text(hostile.SECRET)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    with serving(server):
        yield Trap(tmp_path / "secret", server.server_port, asked)


@pytest.fixture(autouse=True)
def brisk(monkeypatch: pytest.MonkeyPatch) -> None:
    """What never ends is given up sooner, and what is on the pictures does not matter."""
    monkeypatch.setattr(inspection_pool, "CPU_SECONDS", 2)
    monkeypatch.setattr(ocr, "read_page_image", lambda *_args, **_options: OcrReading((), (), 0.0))


def harm(path: Path) -> str:
    """What one file did that it may not; empty if it was refused or read as files are."""
    began = time.monotonic()
    try:
        found = inspection_pool.inspect(path, path.name, containers=True)
    except CountersignError as refused:
        return hostile.SECRET if hostile.SECRET in str(refused) else late(began)
    return late(began) or (unpack(path, found) if found.is_container else run_stages(path, found))


def late(began: float) -> str:
    seconds = time.monotonic() - began
    return f"was looked at for {seconds:.0f} s" if seconds > INSPECTED_SECONDS else ""


def run_stages(path: Path, found: Inspection) -> str:
    """In a child, whose memory is its own, and which may be ended."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
        try:
            os.write(theirs, json.dumps(in_stages(path, found)).encode())
        finally:
            os._exit(0)
    os.close(theirs)
    said = os.read(ours, 65_536)
    os.close(ours)
    _, status = os.waitpid(child, 0)
    return json.loads(said)["harm"] if said else f"ended the process: {status}"


def in_stages(path: Path, found: Inspection) -> Mapping[str, Any]:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    read = context(path, found.file_type)
    try:
        for stage in STAGES.values():
            stage.run(read)
    except CountersignError as refused:
        if hostile.SECRET in str(refused):
            return {"harm": hostile.SECRET}
    except BaseException as error:  # noqa: BLE001 - whatever it is, it is not a sentence
        return {"harm": f"{error!r:.200} at {traceback.extract_tb(error.__traceback__)[-1]}"}
    if any(hostile.SECRET.encode() in body for body in kept(read).kept.values()):
        return {"harm": hostile.SECRET}
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024
    return {"harm": f"took {grown} MB" if grown > MOST_MB else ""}


def unpack(path: Path, found: Inspection) -> str:
    """What comes out of a container, one after the other, as the task that unpacks it does."""
    folder = path.with_name("unpacked")
    folder.mkdir(exist_ok=True)
    outside = set(path.parent.iterdir())
    try:
        for number, member in enumerate(containers.members(path, found.file_type, Limits(1_000, 50 * hostile.MILLION))):
            if not shown(member.name):
                return f"a file is called {member.name!r}"
            target = folder / str(number)
            try:
                member.write(target)
            except CountersignError:
                continue
            if hostile.SECRET.encode() in target.read_bytes():
                return hostile.SECRET
    except CountersignError as refused:
        return hostile.SECRET if hostile.SECRET in str(refused) else ""
    return f"{path.name} wrote elsewhere" if set(path.parent.iterdir()) - outside else ""


def shown(name: str) -> bool:
    return bool(name) and name.isprintable() and not set("/\\") & set(name) and len(name) <= 255


def harms(files: Mapping[str, hostile.Write], folder: Path) -> dict[str, str]:
    """Of every fifth file in `make test`, of all in `make test-slow`: each is looked at by a process of its own."""
    done = {}
    for name, write in list(files.items())[:: 1 if ALL or len(files) < FEW else 5]:
        path = folder / name
        write(path)
        done[name] = harm(path)
        path.unlink()
    return {name: what for name, what in done.items() if what}


@pytest.mark.wide
@pytest.mark.examples
@pytest.mark.timeout(300)
def test_entities_lead_nowhere_and_grow_to_nothing_in_every_file_of_xml(trap: Trap, tmp_path: Path) -> None:
    assert harms(hostile.xml_files(trap.secret, trap.port), tmp_path) == {}
    assert trap.asked == []


@pytest.mark.wide
@pytest.mark.examples
@pytest.mark.timeout(300)
def test_pictures_of_impossible_sizes(tmp_path: Path) -> None:
    assert harms(hostile.pictures(), tmp_path) == {}


@pytest.mark.wide
@pytest.mark.examples
@pytest.mark.timeout(300)
def test_pdfs_that_are_huge_or_lead_to_themselves(tmp_path: Path) -> None:
    assert harms(hostile.pdfs(), tmp_path) == {}


@pytest.mark.wide
@pytest.mark.examples
@pytest.mark.timeout(300)
def test_packages_and_archives_that_unpack_to_too_much(tmp_path: Path) -> None:
    assert harms(hostile.packages(), tmp_path) == {}


@pytest.mark.wide
@pytest.mark.examples
@pytest.mark.timeout(300)
def test_texts_mails_recordings_and_videos_that_are_deep_long_or_lie(tmp_path: Path) -> None:
    assert harms(hostile.others(), tmp_path) == {}


# --- names -----------------------------------------------------------------------------------------------------------

NAMES = (
    "../../etc/passwd.txt",
    "/etc/cron.d/job.txt",
    "C:\\Windows\\System32\\a.txt",
    "..\\..\\a.txt",
    "a\x00b.txt",
    "invoice-\u202etxt.exe",  # shown as invoice-exe.txt
    "a\u2066b\u2069.txt",
    "line\r\nSet-Cookie: a=b.txt",
    "\ufeffa.txt",
    "x" * 600 + ".txt",
    "....//....//a.txt",
    "%2e%2e%2fa.txt",
    "<script>alert(1)</script>.txt",
    "$(reboot) `reboot`.txt",
)


def archive(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as made:
        for name in NAMES:
            made.writestr(name.replace("\x00", "\x01"), b"The paper.")
        link = zipfile.ZipInfo("link.txt")
        link.create_system, link.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
        made.writestr(link, "/etc/passwd")
        made.writestr("link.txt/below.txt", b"The paper.")


def mail(path: Path) -> None:
    made = EmailMessage()
    made["From"], made["To"], made["Subject"] = "a@example.org", "b@example.org", "Papers"
    made.set_content("Papers.")
    for name in NAMES:
        safe = name.replace("\r\n", " ")
        made.add_attachment(b"The paper.", maintype="text", subtype="plain", filename=safe)
    path.write_bytes(made.as_bytes())


def test_no_name_in_an_archive_or_a_mail_leads_out_of_it(tmp_path: Path) -> None:
    """A symbolic link is a small text file here, and a path only its last part."""
    assert harms({"names.zip": archive, "names.eml": mail}, tmp_path) == {}
    archive(tmp_path / "again.zip")
    names = [one.name for one in containers.members(tmp_path / "again.zip", containers.ARCHIVE, Limits(99, 10_000))]
    assert {"passwd.txt", "job.txt", "a.txt", "link.txt", "below.txt"} <= set(names)


@pytest.mark.wide
@pytest.mark.django_db
@each("name", NAMES)
def test_an_uploads_name_is_shown_and_no_part_of_a_path(table: str, name: str) -> None:
    project, browser = make_project(), signed_in(bob())
    file = SimpleUploadedFile("a.txt", b"The paper.")
    file.__dict__["_name"] = name  # as a client sends it; Django's own clients mend it
    answer = browser.post(
        f"/workflows/projects/{project.id}/upload/", {"files": file}, headers={"Accept": "application/json"}
    )
    assert answer.status_code == 200
    (row,) = queries.project_documents("default", project.id).rows
    assert shown(str(row.name))
    page = one_line(browser.get(f"/documents/{row.document_id}/").content)
    assert "<script>alert" not in page
    kept_as = browser.get(f"/documents/{row.document_id}/contents/").content.decode()
    (at,) = {part.split('"')[0] for part in kept_as.split(f'href="/documents/{row.document_id}/contents/')[1:]}
    download = signed_in(charlie()).get(f"/documents/{row.document_id}/contents/{at}")
    assert download["Content-Disposition"].startswith("attachment")
    assert not set("\r\n\x00\u202e/") & set(download["Content-Disposition"])
    assert b"".join(download.streaming_content) == b"The paper."


# --- documents that a browser would run ------------------------------------------------------------------------------

SCRIPT = "<script>alert('run')</script>"
XML = '<?xml version="1.0"?>'
ACTIVE = {
    "a.html": f"<html><h1>Total</h1><p>{SCRIPT}12.34 &lt;script&gt;</p><img src=x onerror=alert(1)></html>",
    "a.svg": f'{XML}<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)">{SCRIPT}<text>Total</text></svg>',
    "a.xhtml": f'{XML}<html xmlns="http://www.w3.org/1999/xhtml"><body><p>Total</p>{SCRIPT}</body></html>',
    "a.txt": f"Total {SCRIPT} 12.34",
}


@pytest.mark.django_db
@pytest.mark.parametrize("name", ACTIVE)
def test_a_document_with_scripts_is_a_file_to_keep_and_runs_nowhere(table: str, name: str) -> None:
    """As its original, whatever a browser makes of its type: not beside our pages, not in a frame, without scripts."""
    project, browser = make_project(), signed_in(bob())
    browser.post(
        f"/workflows/projects/{project.id}/upload/",
        {"files": SimpleUploadedFile(name, ACTIVE[name].encode())},
        headers={"Accept": "application/json"},
    )
    (row,) = queries.project_documents("default", project.id).rows
    listed = one_line(browser.get(f"/documents/{row.document_id}/contents/").content)
    (at,) = {part.split('"')[0] for part in listed.split(f'href="/documents/{row.document_id}/contents/')[1:]}
    answer = browser.get(f"/documents/{row.document_id}/contents/{at}")
    assert b"".join(answer.streaming_content) == ACTIVE[name].encode()
    assert answer["Content-Disposition"].startswith("attachment")
    assert answer["Content-Security-Policy"] == "sandbox; default-src 'none'"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["X-Frame-Options"] == "DENY"
    assert answer["Cross-Origin-Resource-Policy"] == "same-origin"
