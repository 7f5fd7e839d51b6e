"""Every object of one document in S3, by the names of ``workflows.files``."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from django.conf import settings
from django.core.files import File
from django.core.files.storage import default_storage

from config import aws
from config.errors import CountersignError, Tampered
from config.table import partition
from workflows import files


@dataclass(frozen=True)
class DocumentFiles:
    """Every object of one document; ``name`` is relative to the document's root. An ArtifactStore of the stages."""

    site: str
    project_id: str
    document_id: str

    @property
    def root(self) -> str:
        """
        >>> DocumentFiles("acme", "p", "d").root
        'acme/projects/p/documents/d/'
        """
        return partition(self.site, files.document(self.project_id, self.document_id))

    def uri(self, name: str) -> str:
        return f"s3://{settings.BUCKET_NAME}/{self.root}{name}"

    def name_of(self, uri: str) -> str:
        """The name behind one of our own URIs.

        Raises:
            CountersignError: the URI points outside this document.

        """
        head = self.uri("")
        if not uri.startswith(head):
            raise CountersignError("This file belongs to another document.")
        return uri.removeprefix(head)

    def save_original(self, file: BinaryIO, extension: str, content_type: str) -> str:
        """Store the upload under the document's own id, its name staying in the table; answers the key."""
        name = files.original(self.document_id, extension)
        stored = File(file, name=name)
        stored.content_type = content_type  # type: ignore[attr-defined] # django-storages reads it
        with aws.translated():
            return str(default_storage.save(self.root + name, stored))

    def delete_original(self, key: str) -> None:
        with aws.translated():
            default_storage.delete(key)

    def fetch(self, key: str, target: Path) -> Path:
        """Raises: NotFound."""
        with aws.translated():
            aws.client("s3").download_file(settings.BUCKET_NAME, key, str(target))
        return target

    def read(self, name: str) -> bytes:
        """Raises: NotFound."""
        with aws.translated():
            body: bytes = aws.client("s3").get_object(Bucket=settings.BUCKET_NAME, Key=self.root + name)["Body"].read()
        return body

    def read_pinned(self, name: str, sha256: str) -> bytes:
        """Raises: Tampered, where the content is not what was recorded."""
        body = self.read(name)
        if files.sha256(body) != sha256:
            raise Tampered("The stored file is not the one that was recorded. Nothing was applied.")
        return body

    def open(self, name: str) -> tuple[Any, int]:
        """A stream and its length in bytes. Raises: NotFound."""
        with aws.translated():
            found = aws.client("s3").get_object(Bucket=settings.BUCKET_NAME, Key=self.root + name)
        return found["Body"], int(found["ContentLength"])

    def write(self, name: str, body: bytes, content_type: str) -> str:
        with aws.translated():
            aws.client("s3").put_object(
                Bucket=settings.BUCKET_NAME, Key=self.root + name, Body=body, ContentType=content_type
            )
        return self.uri(name)

    def exists(self, name: str) -> bool:
        with aws.translated():
            found = aws.client("s3").list_objects_v2(Bucket=settings.BUCKET_NAME, Prefix=self.root + name, MaxKeys=1)
        return any(entry["Key"] == self.root + name for entry in found.get("Contents", ()))
