"""Every way in, as outsiders use it; each enters what it brings in the ledger."""

import json
import os
import subprocess
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.commands import desk
from tests.generated.kinds import LINES, every_kind
from tests.smoke.demo import Demo
from tests.smoke.ledger import Ledger
from tests.smoke.outsiders import OtherSystem, Person, Program
from tests.workflows.boxes import mailed, zipped

PROJECT = "proj_receipts-and-invoices"  # the demo's own
FOLDER = "smoke"  # of the bucket
SOME = ("pdf", "jpg", "docx", "webreq", "eml", "zip", "none")
CONTAINERS = ("zip", "eml", "msg")
_PROGRAM = b"\x7fELF" + bytes(400)


class Papers:
    """Files of every kind for each way, named ``<way>-<kind>``; a mail's text comes out of it as ``<its name>.txt``."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.made = folder, every_kind(folder / "made")

    def of(self, way: str, kinds: Iterable[str] = ()) -> dict[str, Path]:
        """By kind; all of them without ``kinds``. ``zip`` holds a text, ``none`` is no document at all."""
        folder = self.folder / way
        found = every_kind(folder, f"{way}-")
        paths = {extension[1:]: path for extension, path in found.items()}
        paths["none"] = folder / f"{way}-none.pdf"
        paths["none"].write_bytes(_PROGRAM)
        paths["zip"] = folder / f"{way}-zip.zip"
        paths["zip"].write_bytes(zipped({f"{way}-zip.txt": "\n".join(LINES).encode()}))
        wanted = tuple(kinds) or tuple(paths)
        for kind, path in paths.items():
            if kind not in wanted:
                path.unlink()
        return {kind: paths[kind] for kind in wanted}


@dataclass
class Limits:
    """Seconds. All comes in at once, so most of them are waiting for a turn: on two quiet cores for a minute or two."""

    document: float = float(os.environ.get("SMOKE_SECONDS") or 300)
    process: float = document + 60


@dataclass
class Round:
    """One engine's demo with everything handed in to it."""

    demo: Demo
    person: Person
    program: Program
    system: OtherSystem
    papers: Papers
    limits: Limits = field(default_factory=Limits)
    ledger: Ledger = field(default_factory=Ledger)
    batches: dict[str, str] = field(default_factory=dict)  # way → batch
    commands: list["Command"] = field(default_factory=list)
    questions: dict[str, str] = field(default_factory=dict)  # name → execution or review

    def enter(self, way: str, papers: dict[str, Path], limit: float = 0) -> None:
        """What is brought and what will come out of it."""
        limit = limit or self.limits.document
        for kind, path in papers.items():
            self.ledger.hand_in(way, kind, path.name, limit=limit)
            if kind in CONTAINERS:
                self.ledger.hand_in(way, f"text of {kind}", f"{path.stem}.txt", limit=limit)


def by_page(round_: Round) -> None:
    papers = round_.papers.of("page", SOME)
    round_.enter("page", papers)
    _upload(round_, list(papers.values()))


def by_zip(round_: Round) -> None:
    """The archive is a file like the others; within it lies one of every kind."""
    papers = round_.papers.of("ZIP")
    archive = round_.papers.folder / "ZIP-all.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        for path in papers.values():
            packed.write(path, path.name)
    round_.enter("ZIP", papers)
    round_.ledger.hand_in("ZIP", "itself", archive.name, limit=round_.limits.document)
    _upload(round_, [archive])


def by_mail(round_: Round) -> None:
    papers = round_.papers.of("mail", SOME)
    mail = round_.papers.folder / "mail-itself.eml"
    mail.write_bytes(mailed({path.name: path.read_bytes() for path in papers.values()}, subject="mail-itself"))
    round_.enter("mail", papers)
    round_.ledger.hand_in("mail", "itself", mail.name, limit=round_.limits.document)
    _upload(round_, [mail])


def _upload(round_: Round, paths: list[Path]) -> None:
    """By the form of the page, which takes several."""
    path = f"/workflows/projects/{PROJECT}/upload/"
    status, text = round_.person.send_form(path, {"files": paths}, accept="application/json")
    assert status in {200, 422}, (status, text)
    answers = json.loads(text)["files"]
    assert [one["name"] for one in answers] == [one.name for one in paths]
    for one in answers:
        if one["error"]:
            round_.ledger.settle(one["name"], "refused", one["error"])


def by_api(round_: Round) -> None:
    papers = round_.papers.of("API", SOME)
    round_.enter("API", papers)
    for path in papers.values():
        status, answer = round_.program.send_file(PROJECT, path)
        if status != 201:
            round_.ledger.settle(path.name, "refused", f"{answer['detail']}")


def by_bucket(round_: Round) -> None:
    papers = round_.papers.of("bucket")
    round_.person.own_folder(FOLDER, PROJECT)
    round_.enter("bucket", papers)
    for path in papers.values():
        round_.system.put_raw(FOLDER, path)


def by_json_batch(round_: Round) -> None:
    """The manifest comes with the page's form."""
    papers = round_.papers.of("batch-JSON", SOME)
    manifest = round_.papers.folder / "manifest.json"
    manifest.write_text(json.dumps([{"key": key} for key in _stored(round_, papers)]))
    round_.enter("batch-JSON", papers)
    path = f"/batches/new/{PROJECT}/"
    _, page = round_.person.get(path)
    number = page.split('name="batch_id" value="')[1][:26]
    fields = {"batch_id": number, "manifest": manifest, "slots": "4", "percent": "100"}
    status, _ = round_.person.send_form(path, fields)
    assert status == 200
    round_.batches["batch-JSON"] = number


def by_csv_batch(round_: Round, kinds: Iterable[str] = SOME) -> None:
    """The manifest lies in the bucket, and a program names it."""
    papers = round_.papers.of("batch-CSV", kinds)
    manifest = round_.papers.folder / "manifest.csv"
    manifest.write_text("\n".join(["key", *_stored(round_, papers)]))
    round_.system.put(f"bulk/default/{FOLDER}/manifest.csv", manifest)
    round_.enter("batch-CSV", papers)
    wish = {"project_id": PROJECT, "manifest": f"bulk/default/{FOLDER}/manifest.csv", "tolerated_percent": 100}
    status, batch = round_.program.post("/batches", wish)
    assert status == 201, batch
    round_.batches["batch-CSV"] = batch["id"]


def _stored(round_: Round, papers: dict[str, Path]) -> list[str]:
    keys = [f"bulk/default/{FOLDER}/{path.name}" for path in papers.values()]
    for key, path in zip(keys, papers.values(), strict=True):
        round_.system.put(key, path)
    return keys


class Command:
    """``manage.py process`` on a terminal of its own."""

    def __init__(self, round_: Round, way: str, env: dict[str, str]) -> None:
        self.way, self.ledger, self.read = way, round_.ledger, 0
        papers = round_.papers.of(way, SOME)
        self.said = round_.papers.folder / f"{way}.jsonl"
        round_.enter(way, papers, round_.limits.process)
        with self.said.open("wb") as output, self.said.with_suffix(".err").open("wb") as errors:
            self.process = subprocess.Popen(
                desk.command("process", *map(str, papers.values()), "--json"), env=env, stdout=output, stderr=errors
            )

    def look(self) -> None:
        lines = self.said.read_text().splitlines(keepends=True)
        for line in lines[self.read :]:
            if not line.endswith("\n"):
                return
            self.read += 1
            self._settle(json.loads(line))

    def _settle(self, shape: dict[str, Any]) -> None:
        name, there = Path(shape["file"]).name, shape["document_id"]
        word = "refused" if shape["status"] == "failed" and not there else shape["status"]
        self.ledger.settle(name, word, shape["error"] or "")

    def end(self) -> None:
        """Let it go; where it has not ended by itself, its own time is over."""
        self.process.terminate()
        self.process.wait(60)


def by_process_beside(round_: Round) -> None:
    """The demo's workers do the work."""
    round_.commands.append(Command(round_, "process", round_.demo.env))


def by_process_alone(round_: Round, **variables: str) -> None:
    """It starts an embedded AWS and workers of its own."""
    folder = round_.papers.folder / "alone"
    folder.mkdir()
    round_.commands.append(Command(round_, "process-alone", desk.environment(folder) | variables))


QUESTION = {
    "title": "Smoke: change of bank details",
    "fields": [{"name": "iban", "label": "IBAN", "type": "text", "value": "DE00", "confidence": 0.4, "required": True}],
    "deadline_seconds": 3600,
}


def by_desk_intake(round_: Round) -> None:
    name = "question of a machine"
    round_.ledger.hand_in("desk-intake", "question", name, limit=round_.limits.document)
    round_.questions[name] = round_.system.ask_the_desk({**QUESTION, "id": "smoke-1", "title": name})


def by_api_question(round_: Round) -> None:
    name = "question of a program"
    round_.ledger.hand_in("API", "question", name, limit=round_.limits.document)
    status, review = round_.program.post("/reviews", {**QUESTION, "id": "smoke-2", "title": name})
    assert status == 201, review
    round_.questions[name] = review["id"]
