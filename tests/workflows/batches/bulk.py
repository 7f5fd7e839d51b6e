"""Batches for tests: files in the bucket, a manifest that names them, and what came of it."""

import json
from collections.abc import Callable, Sequence

from django.conf import settings

from config import aws, clock
from projects.audit.events import Actor
from projects.settings import actions as project_actions
from projects.settings.items import Project
from projects.settings.values import ProjectSettings
from tests.pump import Pump
from workflows.batches import actions, orders, queries
from workflows.batches.actions import BatchDraft
from workflows.batches.items import Batch
from workflows.storage import files
from workflows.storage.objects import SiteFiles

BY = Actor("1", "Alice Novak")


def project(site: str = "default", name: str = "Bills", *, fields: bool = False) -> Project:
    """Without fields nobody is asked, and a text of one line is published; with them a person is."""
    wanted = ProjectSettings(name=name) if fields else ProjectSettings(name=name, fields=())
    return project_actions.create_project(site, wanted, by=BY, project_id=project_actions.new_project_id())


def put(name: str, body: bytes | None = None, site: str = "default") -> str:
    key = files.bulk(site) + name
    aws.aws_client("s3").put_object(Bucket=settings.BUCKET_NAME, Key=key, Body=body or f"The paper {name}.".encode())
    return key


def many(count: int, site: str = "default") -> list[str]:
    return [put(f"{number:04d}.txt", site=site) for number in range(count)]


def make(
    project: Project, manifest: Sequence[object] | str, *, site: str = "default", form: str = "json", slots: int = 4,
    percent: int = 20,
) -> Batch:  # fmt: skip
    """A batch as the page makes it."""
    batch_id = clock.new_ulid()
    body = manifest if isinstance(manifest, str) else json.dumps(list(manifest))
    store = SiteFiles(site)
    store.write(files.manifest(batch_id), body.encode(), "text/plain")
    draft = BatchDraft(
        "November", project.id, project.settings.name, store.key(files.manifest(batch_id)), form, slots, percent
    )
    batch = actions.create_batch(site, draft, by=BY, batch_id=batch_id)
    orders.order_reading(site, batch_id, 1)
    return batch


def now(batch: Batch, site: str = "default") -> Batch:
    return queries.get_batch(site, batch.id)


def status(batch: Batch, *wanted: str, site: str = "default") -> Callable[[], bool]:
    return lambda: now(batch, site).status in wanted


def ended(pump: Pump, batch: Batch, site: str = "default", seconds: float = 60) -> Batch:
    pump.run(status(batch, "finished", "stopped", "refused", site=site), seconds=seconds)
    return now(batch, site)


def explained(batch: Batch, site: str = "default") -> list[tuple[int, str]]:
    return [(int(line.number), str(line.message)) for line in queries.every_line(site, batch.id)]
