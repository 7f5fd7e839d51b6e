"""Manifests that another system puts into the bucket: each starts a batch once, or goes to quarantine."""

import tempfile
from collections.abc import Callable
from pathlib import Path

from django.conf import settings
from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext
from ulid import ULID

from config.errors import NotFound, Refused
from config.transaction import transact
from projects.settings.items import Project
from workflows.batches import reading
from workflows.batches.reading import BatchRequest
from workflows.intake import bucket
from workflows.intake.bucket import Arrival
from workflows.intake.items import IncomingFile
from workflows.storage.objects import fetch_object


def take_manifest(arrival: Arrival, *, owner: str, keep: Callable[[], None]) -> None:
    """Create the batch of a manifest. Idempotent. The batch reports invalid lines.

    Raises:
        Unavailable: S3 or the table does not answer.

    """

    def make(file: IncomingFile, project: Project, beat: Callable[[], None]) -> None:
        if arrival.size > settings.BATCH_MAX_BYTES:  # checked before it is fetched
            raise Refused(
                gettext("The manifest is larger than %(batch_max_bytes)s. Split it.")
                % {"batch_max_bytes": filesizeformat(settings.BATCH_MAX_BYTES)}
            )
        with tempfile.TemporaryDirectory(prefix="countersign-") as folder:
            path = Path(folder) / "manifest"
            try:
                fetch_object(arrival.key, path, version=arrival.version)
            except NotFound as error:
                raise Refused(gettext("The manifest is no longer in the bucket. Upload it again.")) from error
            beat()
            with path.open("rb") as sent:
                wish = BatchRequest(batch_id_of(arrival), file.name)
                reading.make_batch(str(file.siteId), project, wish, sent, file_name=file.name, by=bucket.MACHINE)
        transact(bucket.take_manifest_changes(file, project))

    bucket.settle(arrival, make, owner=owner, keep=keep)


def batch_id_of(arrival: Arrival) -> str:
    """Return the id of the batch, derived from the object's version, so the same version never makes two batches."""
    return str(ULID(bytes.fromhex(arrival.digest)[:16]))
