"""Backup and restore: both tables, every version of every object, and accounts.

For a laptop, a small deployment, and a move to another account. In AWS, point-in-time recovery is the backup. Rows are
copied before objects, and no row is written before the object that it names, so a copy of a running deployment lacks at
most what arrived while it was made. It excludes messages, executions and the search index, which are rebuilt.
"""

import gzip
import hashlib
import io
import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import call_command
from django.utils.translation import gettext

from config import aws, clock, table
from config.errors import Refused, Tampered

FORMAT = 1
MANIFEST, ROWS, EARLIER, ACCOUNTS, OBJECTS = (
    "manifest.json", "table.jsonl.gz", "versions.jsonl.gz", "accounts.json", "objects.jsonl.gz",
)  # fmt: skip
_PARTS = (ROWS, EARLIER, ACCOUNTS, OBJECTS)
# Sessions end, the index is rebuilt, and migrations create the rest.
_NOT_COPIED = ("contenttypes", "auth.permission", "sessions", "usersessions", "admin.logentry", "search")
_BATCH = 25  # rows of one BatchWriteItem
_VERSION_ID = re.compile(r"[A-Za-z0-9._-]{8,}")
Report = Callable[[str], None]


@dataclass(frozen=True)
class StoredVersion:
    """One version of an object; ``version``: its id at the source. Without ``sha256`` it is a delete marker."""

    key: str
    version: str
    sha256: str = ""
    content_type: str = ""
    tags: str = ""
    metadata: Mapping[str, str] | None = None


# --- copying ---------------------------------------------------------------------


def write_backup(folder: Path, report: Report) -> None:
    """Write the copy to ``folder``, which exists once it is complete.

    Raises:
        Refused: the folder exists.
        Unavailable: a service does not answer; nothing is left behind.

    """
    if folder.exists():
        raise Refused(gettext("%(folder)s exists. Name a new folder; no backup is overwritten.") % {"folder": folder})
    with _private(), tempfile.TemporaryDirectory(dir=_parent(folder), prefix=f"{folder.name}-part-") as name:
        part = Path(name)
        counts = {
            ROWS: _copy_rows(settings.TABLE_NAME, part / ROWS),
            EARLIER: _copy_rows(settings.VERSIONS_TABLE_NAME, part / EARLIER),
        }
        report(f"{counts[ROWS]} rows and {counts[EARLIER]} earlier versions")
        counts[OBJECTS] = _copy_objects(part)
        report(f"{counts[OBJECTS]} versions of objects")
        counts[ACCOUNTS] = _copy_accounts(part / ACCOUNTS)
        report(f"{counts[ACCOUNTS]} records of accounts")
        digests = {one: _digest(part / one) for one in _PARTS}
        manifest = {"format": FORMAT, "at": clock.iso(clock.now()), "stack": settings.STACK, "counts": counts}
        (part / MANIFEST).write_text(json.dumps(manifest | {"sha256": digests}, indent=1))
        shutil.copytree(part, folder)


def _copy_rows(name: str, path: Path) -> int:
    pages = aws.dynamodb_client().get_paginator("scan").paginate(TableName=name, ConsistentRead=True)
    count = 0
    with aws.translate_aws_errors(), gzip.open(path, "wt") as lines:
        for page in pages:
            for row in page["Items"]:
                lines.write(json.dumps(row) + "\n")
                count += 1
    return count


def _copy_objects(part: Path) -> int:
    """Copy a key's oldest version first, so that they are restored in order."""
    s3 = aws.aws_client("s3")
    pages = s3.get_paginator("list_object_versions").paginate(Bucket=settings.BUCKET_NAME)
    (part / "objects").mkdir()
    count = 0
    with aws.translate_aws_errors(), gzip.open(part / OBJECTS, "wt") as lines:
        for key_versions in _by_key(pages):
            for one in sorted(key_versions, key=lambda found: (found["LastModified"], bool(found["IsLatest"]))):
                lines.write(json.dumps(vars(_copy_version(s3, one, part))) + "\n")
                count += 1
    return count


def _by_key(pages: Iterable[Mapping[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Yield the versions and delete markers of each key; S3 lists them in key order."""
    held: dict[str, list[dict[str, Any]]] = {}
    for page in pages:
        for one in (*page.get("Versions", ()), *page.get("DeleteMarkers", ())):
            held.setdefault(one["Key"], []).append(one)
        last = max(held, default="")
        for key in sorted(held):
            if key < last:  # the next page may continue with the last key
                yield held.pop(key)
    yield from (held[key] for key in sorted(held))


def _copy_version(s3: Any, one: Mapping[str, Any], part: Path) -> StoredVersion:
    key, version = str(one["Key"]), str(one["VersionId"])
    if "Size" not in one:  # a delete marker
        return StoredVersion(key, version)
    where = {"Bucket": settings.BUCKET_NAME, "Key": key} | ({"VersionId": version} if version != "null" else {})
    answer = s3.get_object(**where)
    digest = hashlib.sha256()
    with tempfile.NamedTemporaryFile(dir=part, delete=False) as file:
        for chunk in answer["Body"].iter_chunks(1024 * 1024):
            digest.update(chunk)
            file.write(chunk)
    place = _place(part, digest.hexdigest())
    place.parent.mkdir(exist_ok=True)
    Path(file.name).replace(place)
    tags = s3.get_object_tagging(**where)["TagSet"]
    return StoredVersion(
        key,
        version,
        digest.hexdigest(),
        str(answer.get("ContentType") or ""),
        "&".join(f"{tag['Key']}={tag['Value']}" for tag in tags),
        dict(answer.get("Metadata") or {}),
    )


def _place(folder: Path, sha256: str) -> Path:
    return folder / "objects" / sha256[:2] / sha256


def _copy_accounts(path: Path) -> int:
    text = io.StringIO()
    call_command("dumpdata", exclude=_NOT_COPIED, natural_foreign=True, natural_primary=True, stdout=text)
    path.write_text(text.getvalue())
    return len(json.loads(text.getvalue()))


# --- restoring -------------------------------------------------------------------


def restore_backup(folder: Path, report: Report) -> None:
    """Restore a copy to an installation on which only bootstrap and migrate were run.

    Every id stays, except for S3 versions: the bucket assigns new ones, and rows that refer to them are updated.

    Raises:
        Refused: it is not a backup of this format, or the installation has documents, files or accounts.
        Tampered: a part of it is not what was written.

    """
    check_backup(folder)
    _check_empty()
    versions = _put_objects(folder)
    report(f"{len(versions)} versions of objects")
    for name, path in ((settings.VERSIONS_TABLE_NAME, EARLIER), (settings.TABLE_NAME, ROWS)):
        report(f"{_put_rows(name, folder / path, versions)} rows of {name}")
    # Groups and default sites that migrations created have the same natural keys, and are overwritten.
    call_command("loaddata", str(folder / ACCOUNTS), verbosity=0)
    report(f"{User.objects.count()} accounts")


def check_backup(folder: Path) -> Mapping[str, Any]:
    """Verify all parts and return the manifest. Raises: Refused, Tampered."""
    try:
        manifest: dict[str, Any] = json.loads((folder / MANIFEST).read_text())
    except (OSError, ValueError) as error:
        raise Refused(
            gettext("%(folder)s is no backup: it has no readable %(manifest)s.")
            % {"folder": folder, "manifest": MANIFEST}
        ) from error
    if manifest.get("format") != FORMAT:
        raise Refused(f"This backup has format {manifest.get('format')}; this version reads {FORMAT}.")
    wrong = [one for one in _PARTS if not (folder / one).is_file() or _digest(folder / one) != manifest["sha256"][one]]
    wrong += [one.key for one in _objects(folder) if one.sha256 and _digest(_place(folder, one.sha256)) != one.sha256]
    if wrong:
        raise Tampered(
            gettext("%(count)s parts of this backup are damaged or missing. Nothing was restored.")
            % {"count": len(wrong)}
        )
    return manifest


def _check_empty() -> None:
    """Raises: Refused."""
    published = table.DEFINITION.partition_key(table.DEFAULT_SITE, workflow_id="x").rstrip("x")
    told = table.ENTITY_EVENT.partition_key(table.DEFAULT_SITE, entity_type="definition", entity_id="x").rstrip("x")
    workers = table.WORKER.partition_key(table.DEFAULT_SITE)
    with aws.translate_aws_errors():
        pages = aws.dynamodb_client().get_paginator("scan").paginate(TableName=settings.TABLE_NAME, ConsistentRead=True)
        kept = (row["PK"]["S"] for page in pages for row in page["Items"])
        rows = any(not pk.startswith((published, told, workers)) for pk in kept)
        files = aws.aws_client("s3").list_objects_v2(Bucket=settings.BUCKET_NAME, MaxKeys=1).get("KeyCount", 0)
    if rows or files or User.objects.exists():
        raise Refused(
            gettext(
                "This desk has documents, files or accounts. Restore on an empty one: new tables and bucket, a new "
                "database, then bootstrap and migrate."
            )
        )


def _objects(folder: Path) -> Iterator[StoredVersion]:
    with gzip.open(folder / OBJECTS, "rt") as lines:
        for line in lines:
            yield StoredVersion(**json.loads(line))


def _put_objects(folder: Path) -> dict[str, str]:
    """Map the id of each version to its new one."""
    s3 = aws.aws_client("s3")
    found: dict[str, str] = {}
    with aws.translate_aws_errors():
        for one in _objects(folder):
            where = {"Bucket": settings.BUCKET_NAME, "Key": one.key}
            if not one.sha256:
                answer = s3.delete_object(**where)
            else:
                with _place(folder, one.sha256).open("rb") as body:
                    answer = s3.put_object(
                        **where,
                        Body=body,
                        ContentType=one.content_type,
                        Metadata=dict(one.metadata or {}),
                        **({"Tagging": one.tags} if one.tags else {}),
                    )
            found[one.version] = str(answer.get("VersionId") or "")
    return found


def _put_rows(name: str, path: Path, versions: Mapping[str, str]) -> int:
    client, count = aws.dynamodb_client(), 0
    with aws.translate_aws_errors(), gzip.open(path, "rt") as lines:
        for batch in _batches(lines):
            items = [_rename_versions(json.loads(line), versions) for line in batch]
            waiting: Any = {name: [{"PutRequest": {"Item": item}} for item in items]}
            while waiting:
                waiting = client.batch_write_item(RequestItems=waiting).get("UnprocessedItems")
            count += len(batch)
    return count


def _batches(lines: IO[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    for line in lines:
        batch.append(line)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _rename_versions(value: Any, versions: Mapping[str, str]) -> Any:
    """Also replaces ids inside strings: what a run pinned is JSON in an attribute."""
    if isinstance(value, dict):
        return {name: _rename_versions(one, versions) for name, one in value.items()}
    if isinstance(value, list):
        return [_rename_versions(one, versions) for one in value]
    if isinstance(value, str):
        return _VERSION_ID.sub(lambda found: versions.get(found[0]) or found[0], value)
    return value


def _digest(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""


def _parent(folder: Path) -> Path:
    folder.parent.mkdir(parents=True, exist_ok=True)
    return folder.parent


@contextmanager
def _private() -> Iterator[None]:
    """Restrict new files to this account: a backup has what people uploaded."""
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)
