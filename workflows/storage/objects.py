"""Reads and writes of S3 objects, named by ``workflows.storage.files``."""

import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

from boto3.s3.transfer import TransferConfig
from botocore.exceptions import ClientError
from django.conf import settings
from django.core.files.storage import default_storage
from django.utils.http import content_disposition_header

from config import aws, disk
from config.errors import CountersignError, NotFound, Tampered, Unavailable
from config.table import site_partition
from workflows.storage import files

# The emulator returns the whole object for a range of a version: multipart downloads above 8 MiB were corrupt.
_IN_ONE_GET = TransferConfig(multipart_threshold=1 << 40)


@dataclass(frozen=True)
class StoredFile:
    """An object in S3: its key, SHA-256 (hexadecimal), and version id, empty if the bucket is not versioned."""

    key: str
    sha256: str
    version: str

    @property
    def which(self) -> dict[str, str]:
        return {"VersionId": self.version} if self.version else {}


def _put(key: str, body: bytes | BinaryIO, content_type: str, kind: str) -> None:
    with aws.translate_aws_errors():
        aws.aws_client("s3").put_object(
            Bucket=settings.BUCKET_NAME, Key=key, Body=body, ContentType=content_type, Tagging=f"kind={kind}"
        )


def fetch_object(key: str, target: Path, *, version: str = "") -> None:
    """Download an object that another system put into the bucket. Raises: NotFound."""
    with disk.full_is_unavailable(), aws.translate_aws_errors():
        extra = {"VersionId": version} if version else None
        aws.aws_client("s3").download_file(settings.BUCKET_NAME, key, str(target), ExtraArgs=extra, Config=_IN_ONE_GET)


def delete_object(key: str, version: str) -> None:
    """Delete one version of an object that another system put into the bucket. Idempotent."""
    which = {"VersionId": version} if version else {}
    with aws.translate_aws_errors():
        aws.aws_client("s3").delete_object(Bucket=settings.BUCKET_NAME, Key=key, **which)


def version_of(key: str) -> str:
    """Return the newest version of an object; empty if the bucket is not versioned. Raises: NotFound."""
    return look_up(key)[0]


def look_up(key: str) -> tuple[str, int]:
    """Return the newest version of an object, empty without versioning, and its size in bytes. Raises: NotFound."""
    with aws.translate_aws_errors():
        found = aws.aws_client("s3").head_object(Bucket=settings.BUCKET_NAME, Key=key)
    return str(found.get("VersionId") or ""), int(found["ContentLength"])


def open_object(key: str) -> Any:
    """Return a stream of bytes. Raises: NotFound."""
    with aws.translate_aws_errors():
        return aws.aws_client("s3").get_object(Bucket=settings.BUCKET_NAME, Key=key)["Body"]


def presign_download(key: str, version: str | None, *, name: str, seconds: int) -> str:
    """Return a presigned GET URL of an object version, always as an attachment; no call."""
    which = {"VersionId": version} if version else {}
    as_file = content_disposition_header(as_attachment=True, filename=name) or ""
    wanted = {"Bucket": settings.BUCKET_NAME, "Key": key, "ResponseContentDisposition": as_file, **which}
    url: str = aws.aws_client("s3").generate_presigned_url("get_object", Params=wanted, ExpiresIn=seconds)
    return url


def presign_upload(key: str, *, size: int, kind: str, seconds: int) -> tuple[str, dict[str, str]]:
    """Return a presigned PUT URL for an object of exactly ``size`` bytes, and its headers; no call."""
    tag = f"kind={kind}"
    wanted = {"Bucket": settings.BUCKET_NAME, "Key": key, "ContentLength": size, "Tagging": tag}
    url: str = aws.aws_client("s3").generate_presigned_url("put_object", Params=wanted, ExpiresIn=seconds)
    return url, {"Content-Length": str(size), "x-amz-tagging": tag}


@dataclass(frozen=True)
class SiteFiles:
    """Objects of a site, outside of documents; ``name`` is relative to the site's root."""

    site: str

    def write(self, name: str, body: bytes, content_type: str) -> None:
        _put(site_partition(self.site, name), body, content_type, files.kind(name))

    def keep(self, name: str, body: bytes, content_type: str) -> None:
        """Write an object that is named by its content, unless it exists.

        Checked each time: if a process cached it and the object was lost, every later run that pins it would fail until
        the process ends.
        """
        try:
            if self.read(name) == body:
                return
        except NotFound:
            pass
        self.write(name, body, content_type)

    def pin_json(self, name_of: Callable[[str], str], content: object) -> str:
        """Store the content under the name that ``name_of`` derives from its SHA-256 (hexadecimal), and return that.

        All runs that pin the same content share one object; a run whose rows were never written leaves nothing else
        behind.
        """
        body = json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()
        sha256 = files.sha256(body)
        self.keep(name_of(sha256), body, "application/json")
        return sha256

    def save(self, name: str, file: BinaryIO, content_type: str) -> None:
        """Write a stream that is too large for memory."""
        _put(self.key(name), file, content_type, files.kind(name))

    def key(self, name: str) -> str:
        return site_partition(self.site, name)

    def delete(self, name: str) -> None:
        """Idempotent."""
        delete_object(self.key(name), "")

    def read(self, name: str) -> bytes:
        """Raises: NotFound."""
        with aws.translate_aws_errors():
            body: bytes = (
                aws.aws_client("s3").get_object(Bucket=settings.BUCKET_NAME, Key=self.key(name))["Body"].read()
            )
        return body

    def read_pinned(self, name: str, sha256: str) -> bytes:
        """Raises: NotFound; Tampered if the content is not what was recorded."""
        key = site_partition(self.site, name)
        with aws.translate_aws_errors():
            body: bytes = aws.aws_client("s3").get_object(Bucket=settings.BUCKET_NAME, Key=key)["Body"].read()
        if files.sha256(body) != sha256:
            raise Tampered("The stored file does not match its recorded checksum. Nothing was applied.")
        return body


@dataclass(frozen=True)
class DocumentFiles:
    """Objects of one document; ``name`` is relative to the document's root. An ArtifactStore of the stages."""

    site: str
    project_id: str
    document_id: str

    @property
    def root(self) -> str:
        """
        >>> DocumentFiles("acme", "p", "d").root
        'acme/projects/p/documents/d/'
        """
        return site_partition(self.site, files.document(self.project_id, self.document_id))

    def place(self, name: str) -> str:
        """Return where an artifact is written, relative to the root."""
        return name

    def uri(self, name: str) -> str:
        return f"s3://{settings.BUCKET_NAME}/{self.root}{name}"

    def name_of(self, uri: str) -> str:
        """Return the name of one of our own URIs.

        Raises:
            CountersignError: the URI points outside this document.

        """
        head = self.uri("")
        if not uri.startswith(head):
            raise CountersignError("This file belongs to another document.")
        return uri.removeprefix(head)

    def save_original(
        self, file: BinaryIO, extension: str, content_type: str, *, sha256: str | None = None
    ) -> StoredFile:
        """Store the upload under the document's id; its display name is in the table.

        ``sha256`` (hexadecimal): computed while the file arrived; S3 refuses content that differs.

        Raises:
            Unavailable: S3 does not answer, or the file arrived damaged; nothing was stored.

        """
        file.seek(0)
        sha256 = sha256 or hashlib.file_digest(cast("Any", file), "sha256").hexdigest()
        key = self.root + files.original(self.document_id, extension)
        storage = cast("aws.DocumentStorage", default_storage)
        with aws.translate_aws_errors():
            kind = files.kind(key.removeprefix(self.root))
            version = storage.put_checked(key, file, sha256=sha256, content_type=content_type, kind=kind)
        return StoredFile(key, sha256, version)

    def delete_original(self, stored: StoredFile) -> None:
        """Delete this version only, not earlier or later ones under the same key."""
        with aws.translate_aws_errors():
            aws.aws_client("s3").delete_object(Bucket=settings.BUCKET_NAME, Key=stored.key, **stored.which)

    def fetch(self, key: str, target: Path, *, version: str | None = None) -> Path:
        """Download the file, or one version of it. Raises: NotFound."""
        fetch_object(key, target, version=version or "")
        return target

    def read(self, name: str) -> bytes:
        """Raises: NotFound."""
        with aws.translate_aws_errors():
            body: bytes = (
                aws.aws_client("s3").get_object(Bucket=settings.BUCKET_NAME, Key=self.root + name)["Body"].read()
            )
        return body

    def read_pinned(self, name: str, sha256: str) -> bytes:
        """Raises: Tampered if the content is not what was recorded."""
        body = self.read(name)
        if files.sha256(body) != sha256:
            raise Tampered("The stored file does not match its recorded checksum. Nothing was applied.")
        return body

    def open(self, name: str) -> tuple[Any, int]:
        """Return a stream and its length in bytes. Raises: NotFound."""
        with aws.translate_aws_errors():
            found = aws.aws_client("s3").get_object(Bucket=settings.BUCKET_NAME, Key=self.root + name)
        return found["Body"], int(found["ContentLength"])

    def open_original(self, key: str, version: str | None) -> tuple[Any, int]:
        """Return a stream of one file version, and its length in bytes. Raises: NotFound."""
        which = {"VersionId": version} if version else {}
        with aws.translate_aws_errors():
            found = aws.aws_client("s3").get_object(Bucket=settings.BUCKET_NAME, Key=key, **which)
        return found["Body"], int(found["ContentLength"])

    def write(self, name: str, body: bytes, content_type: str) -> str:
        _put(self.root + name, body, content_type, files.kind_in(self.project_id, name))
        return self.uri(name)

    def write_new(self, name: str, body: bytes, content_type: str) -> bool:
        """Write if nothing exists; False if an object exists, which stays (S3: conditional writes)."""
        try:
            with aws.translate_aws_errors():
                aws.aws_client("s3").put_object(
                    Bucket=settings.BUCKET_NAME, Key=self.root + name, Body=body, ContentType=content_type,
                    Tagging=f"kind={files.kind_in(self.project_id, name)}",
                    IfNoneMatch="*",
                )  # fmt: skip
        except CountersignError as error:
            cause = error.__cause__
            code = cause.response["Error"]["Code"] if isinstance(cause, ClientError) else ""
            if code == "PreconditionFailed":
                return False
            if code == "ConditionalRequestConflict":  # another worker is writing it now, and may fail
                raise Unavailable("Another worker is writing this file. Retrying automatically.") from error
            raise
        return True

    def clear_artifacts(self, folders: Iterable[str] = files.ARTIFACTS) -> None:
        """Delete artifacts that will be rebuilt; lifecycle rules delete their versions days later."""
        for prefix in folders:
            with aws.translate_aws_errors():
                pages = aws.aws_client("s3").get_paginator("list_objects_v2")
                for page in pages.paginate(Bucket=settings.BUCKET_NAME, Prefix=self.root + prefix):
                    if keys := [{"Key": entry["Key"]} for entry in page.get("Contents", ())]:
                        aws.aws_client("s3").delete_objects(Bucket=settings.BUCKET_NAME, Delete={"Objects": keys})

    def destroy(self, beat: Callable[[], None]) -> None:
        """Delete every object with all versions and delete markers; nothing of the document remains in S3.

        Raises:
            Unavailable: S3 does not answer, or kept one of them.

        """
        s3 = aws.aws_client("s3")
        with aws.translate_aws_errors():
            pages = s3.get_paginator("list_object_versions").paginate(Bucket=settings.BUCKET_NAME, Prefix=self.root)
            for page in pages:
                beat()
                found = [*page.get("Versions", ()), *page.get("DeleteMarkers", ())]
                which = [{"Key": one["Key"], "VersionId": one["VersionId"]} for one in found]
                if not which:
                    continue
                answer = s3.delete_objects(Bucket=settings.BUCKET_NAME, Delete={"Objects": which, "Quiet": True})
                if answer.get("Errors"):
                    raise Unavailable("S3 has not deleted everything yet. Retrying automatically.")

    def exists(self, name: str) -> bool:
        with aws.translate_aws_errors():
            found = aws.aws_client("s3").list_objects_v2(
                Bucket=settings.BUCKET_NAME, Prefix=self.root + name, MaxKeys=1
            )
        return any(entry["Key"] == self.root + name for entry in found.get("Contents", ()))
