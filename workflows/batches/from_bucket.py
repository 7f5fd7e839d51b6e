"""A manifest that another system put into the bucket starts a batch, once, or waits in quarantine."""

import tempfile
from collections.abc import Callable
from pathlib import Path

from django.conf import settings
from django.template.defaultfilters import filesizeformat
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
    """Make its batch; told of again, nothing happens. What is wrong with its lines, the batch says.

    Raises:
        Unavailable: S3 or the table does not answer.

    """

    def make(file: IncomingFile, project: Project, beat: Callable[[], None]) -> None:
        if arrival.size > settings.BATCH_MAX_BYTES:  # before it is fetched
            raise Refused(f"The manifest is larger than {filesizeformat(settings.BATCH_MAX_BYTES)}. Split it.")
        with tempfile.TemporaryDirectory(prefix="countersign-") as folder:
            path = Path(folder) / "manifest"
            try:
                fetch_object(arrival.key, path, version=arrival.version)
            except NotFound as error:
                raise Refused("The manifest is no longer in the bucket. Upload it again.") from error
            beat()
            with path.open("rb") as sent:
                wish = BatchRequest(batch_id_of(arrival), file.name)
                reading.make_batch(str(file.siteId), project, wish, sent, file_name=file.name, by=bucket.MACHINE)
        transact(bucket.take_manifest_changes(file, project))

    bucket.settle(arrival, make, owner=owner, keep=keep)


def batch_id_of(arrival: Arrival) -> str:
    """The same for the same version of the same object: a batch that is there already is not made again."""
    return str(ULID(bytes.fromhex(arrival.digest)[:16]))
