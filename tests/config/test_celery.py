"""Tasks by the names that messages carry: state machines and messages that wait for a worker know no others."""

import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

from config.celery import app
from config.errors import Unavailable

NAMES = {
    "projects.tasks.record_look",
    "projects.tasks.record_looks",
    "projects.tasks.refresh_folder",
    "projects.tasks.repoint_documents",
    "review.desk.tasks.read_region",
    "review.tasks.apply_decision",
    "review.tasks.expire_review",
    "review.tasks.apply_approval",
    "review.tasks.ask_for_approval",
    "review.tasks.open_review",
    "review.tasks.redeem",
    "review.tasks.refuse_question",
    "review.tasks.send_notification",
    "review.tasks.sweep",
    "review.tasks.take_question",
    "workflows.batches.tasks.look",
    "workflows.batches.tasks.open_part",
    "workflows.batches.tasks.read",
    "workflows.batches.tasks.take_line",
    "workflows.batches.tasks.take_manifest",
    "workflows.experiments.tasks.work",
    "workflows.exports.tasks.write",
    "workflows.extractors.tasks.train",
    "workflows.learning.tasks.collect_history",
    "workflows.questions.tasks.answer",
    "workflows.tasks.calibrate",
    "workflows.tasks.check_calibration",
    "workflows.tasks.fail_execution",
    "workflows.tasks.fail_run",
    "workflows.tasks.run_execution_step",
    "workflows.tasks.finish_removal",
    "workflows.tasks.follow_up",
    "workflows.tasks.import_documents",
    "workflows.tasks.index_document",
    "workflows.tasks.deploy_definition",
    "review.desk.tasks.read_page",
    "workflows.tasks.measure_desk",
    "workflows.tasks.run_slice",
    "workflows.tasks.send_again",
    "workflows.tasks.run_step",
    "workflows.tasks.take_incoming",
    "workflows.tasks.take_job_notice",
    "workflows.tasks.tell_sender",
    "workflows.tasks.test_model",
    "workflows.tasks.unpack",
    "workflows.testsets.tasks.build",
    "workflows.trials.tasks.try_prompt",
}


def test_published_names_stay() -> None:
    app.loader.import_default_modules()
    found = {name for name in app.tasks if name.startswith(("config.", "projects.", "workflows.", "review."))}
    assert found == NAMES


def test_a_worker_loads_every_module_of_tasks() -> None:
    app.loader.import_default_modules()
    root = Path(settings.BASE_DIR)
    written = {
        ".".join(path.relative_to(root).with_suffix("").parts)
        for name in ("config", "projects", "workflows", "review")
        for path in (root / name).rglob("tasks.py")
    }
    loaded = {task.run.__module__ for name, task in app.tasks.items() if name in NAMES}
    assert loaded == written


def test_every_task_tries_again_what_does_not_answer() -> None:
    app.loader.import_default_modules()
    for name in NAMES:
        task = app.tasks[name]
        assert (task.autoretry_for, task.max_retries, task.retry_backoff_max) == ((Unavailable,), None, 60), name
        assert task.acks_late, name
        assert task.ignore_result, name
        assert task.time_limit, name


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="threads are counted where Linux lists them")
def test_linear_algebra_takes_one_thread_of_a_process():
    program = "import os, config, numpy; print(len(os.listdir('/proc/self/task')))"
    ran = subprocess.run(
        [sys.executable, "-c", program], cwd=settings.BASE_DIR, capture_output=True, text=True, check=True
    )
    assert ran.stdout.strip() == "1"
