import json
from pathlib import Path

import pytest

from tests import engines
from tests.commands import desk
from workflows.samples import write_samples


def test_files_run_to_their_end_or_to_review_on_workers_of_its_own(tmp_path: Path) -> None:
    clean, poor, _ = write_samples(tmp_path / "files")
    empty = tmp_path / "empty.pdf"
    empty.touch()
    files = [str(path) for path in (clean, poor, empty, tmp_path / "missing.pdf")]

    done = desk.run(desk.environment(tmp_path), "process", *files, "--json")

    assert done.returncode == 0, done.stderr
    shapes = {Path(shape["file"]).name: shape for shape in map(json.loads, done.stdout.splitlines())}
    assert len(shapes) == 4
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


def test_an_unknown_project_is_named_in_words(tmp_path: Path) -> None:
    done = desk.run(desk.environment(tmp_path), "process", str(tmp_path / "any.pdf"), "--project", "nope")
    assert done.returncode == 1
    assert "There is no such project here." in done.stderr
    assert "Traceback" not in done.stderr
