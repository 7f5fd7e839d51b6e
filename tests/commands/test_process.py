import json
from pathlib import Path

import pytest

from tests import engines
from tests.commands import desk
from tests.tools.samples import write_samples
from tests.workflows.boxes import mailed, zipped

SHAPE = {
    "file", "document_id", "workflow_id", "status", "segments", "fields", "review", "outputs", "error",
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.processes
def test_files_run_to_their_end_or_to_review_on_workers_of_its_own(tmp_path: Path) -> None:
    clean, poor, _ = write_samples(tmp_path / "files")
    empty = tmp_path / "empty.pdf"
    empty.touch()
    files = [str(path) for path in (clean, poor, empty, tmp_path / "missing.pdf")]

    done = desk.run(desk.environment(tmp_path), "process", *files, "--json")

    assert done.returncode == 0, done.stderr
    shapes = {Path(shape["file"]).name: shape for shape in map(json.loads, done.stdout.splitlines())}
    assert len(shapes) == 4
    assert all(set(shape) == SHAPE for shape in shapes.values())
    published = shapes[clean.name]
    assert published["status"] == "published"
    assert not published["review"]["required"]
    assert {field["name"]: field["value"] for field in published["fields"]}["total"] == "510.24"
    assert set(published["outputs"]) == {"result", "assessment", "output"}
    waiting = shapes[poor.name]
    assert waiting["status"] == "in_review"
    assert waiting["review"]["review_id"]
    assert any(reason.startswith("Total") for reason in waiting["review"]["reasons"])
    assert shapes["empty.pdf"]["status"] == shapes["missing.pdf"]["status"] == "failed"
    assert shapes["empty.pdf"]["error"].startswith("This file is empty.")
    assert shapes["missing.pdf"]["document_id"] is None


@pytest.mark.slow
@pytest.mark.processes
def test_mails_and_archives_are_taken_apart_and_end_after_what_came_out_of_them(tmp_path: Path) -> None:
    clean, _, _ = write_samples(tmp_path / "files")
    program, letter = b"\x7fELF" + bytes(400), b"Minutes of the third meeting"
    inner = mailed({"minutes.txt": letter, "tool.exe": program}, subject="Third meeting", text="See attached.")
    archive, hopeless = tmp_path / "post.zip", tmp_path / "hopeless.zip"
    archive.write_bytes(zipped({clean.name: clean.read_bytes(), "letter.eml": inner}))
    hopeless.write_bytes(zipped({"only.exe": program}))

    done = desk.run(desk.environment(tmp_path), "process", str(archive), str(hopeless), "--json")

    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    shapes = {shape["file"]: shape for shape in lines}
    places = {name: number for number, name in enumerate(shapes)}
    assert len(lines) == len(shapes) == 8
    whole, mail, page = shapes[str(archive)], shapes["letter.eml"], shapes[clean.name]
    assert (whole["status"], mail["status"], page["status"]) == ("unpacked", "unpacked", "published")
    assert set(whole["documents"]) == {mail["document_id"], page["document_id"]}
    assert (page["container"], page["container_id"]) == (str(archive), whole["document_id"])
    assert set(mail["documents"]) == {shapes[name]["document_id"] for name in ("minutes.txt", "Third meeting.txt")}
    assert shapes["minutes.txt"]["container"] == "letter.eml"
    assert shapes["minutes.txt"]["status"] == "in_review"
    refused = shapes["tool.exe"]
    assert (refused["status"], refused["document_id"], refused["container_id"]) == ("failed", None, mail["document_id"])
    assert refused["error"].startswith("This is a program.")
    assert max(places[name] for name in ("minutes.txt", "tool.exe", clean.name)) < places[str(archive)]
    nothing = shapes[str(hopeless)]
    assert (nothing["status"], nothing["documents"]) == ("failed", [])
    assert nothing["error"] == f"only.exe: {shapes['only.exe']['error']}"
    assert set(whole) == SHAPE | {"documents"}
    assert set(page) == SHAPE | {"container", "container_id"}


@pytest.mark.slow
@pytest.mark.processes
@pytest.mark.parametrize("broker", ["sqs", "redis", "rabbitmq"])
def test_the_celery_engine_runs_files_on_each_broker(tmp_path: Path, broker: str) -> None:
    engines.require(broker)
    clean, poor, _ = write_samples(tmp_path / "files")
    prefix = f"{engines.PREFIX}process-"
    chosen = {"COUNTERSIGN_BROKER_PREFIX": prefix}
    if broker != "sqs":
        chosen["COUNTERSIGN_BROKER_URL"] = engines.URLS[broker]
    try:
        done = desk.run(
            desk.environment(tmp_path) | chosen, "process", str(clean), str(poor), "--engine", "celery", "--json"
        )
    finally:
        if broker != "sqs":
            engines.forget(broker, prefix)
    assert done.returncode == 0, done.stderr
    shapes = {Path(shape["file"]).name: shape["status"] for shape in map(json.loads, done.stdout.splitlines())}
    assert shapes == {clean.name: "published", poor.name: "in_review"}


@pytest.mark.wide
def test_an_unknown_project_is_named_in_words(tmp_path: Path) -> None:
    done = desk.run(desk.environment(tmp_path), "process", str(tmp_path / "any.pdf"), "--project", "nope")
    assert done.returncode == 1
    assert "Project not found." in done.stderr
    assert "Traceback" not in done.stderr
