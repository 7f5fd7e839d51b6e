"""ZIP archives: the table of contents is bounded before it is read, the files while they are read."""

import lzma
import zipfile
import zlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from config.errors import Refused
from config.phrase import Phrase, Sentence
from workflows.intake.containers.members import Budget, Limits, Member, printable_name, too_large, too_many
from workflows.stages.formats import zips

_CHUNK = 256 * 1024
_SMALL = 1024**2  # bytes; below this the compression ratio means nothing
_OFFICE = {"[Content_Types].xml", "mimetype"}
_NOISE = ("__MACOSX/", ".DS_Store", "Thumbs.db", "desktop.ini")
_DAMAGED = Sentence("This archive is damaged or incomplete. Create it again and upload the new file.")
# What Python's reader raises for corrupt data or an unsupported compression method.
_BROKEN = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, RuntimeError, ValueError)
_LOCKED = Sentence("Password-protected. Unpack it and upload the file.")


def is_archive(path: Path) -> bool:
    with path.open("rb") as file:
        if file.read(4) not in {b"PK\x03\x04", zips.END}:
            return False
    try:
        with zips.open_zip(path, _DAMAGED) as archive:
            return not _OFFICE & set(archive.namelist())
    except Refused:
        return True  # a broken archive: its check explains why


def check(path: Path, limits: Limits) -> int:
    """Raises: Refused."""
    with zips.open_zip(path, _DAMAGED) as archive:
        found = _files(archive)
        if len(found) > limits.files:
            raise too_many(len(found), limits)
        if sum(one.file_size for one in found) > limits.bytes:
            raise too_large(limits)
        return len(found)


def members(path: Path, limits: Limits) -> Iterator[Member]:
    """Raises: Refused."""
    budget = Budget(limits)
    with zips.open_zip(path, _DAMAGED) as archive:
        for number, one in enumerate(_files(archive), start=1):
            if number > limits.files:
                raise too_many(number, limits)
            yield Member(printable_name(one.filename, f"File {number}"), partial(_write, archive, one, budget))


def _files(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    return [
        one for one in archive.infolist() if not one.is_dir() and not any(noise in one.filename for noise in _NOISE)
    ]


def _write(archive: zipfile.ZipFile, one: zipfile.ZipInfo, budget: Budget, target: Path) -> None:
    if one.flag_bits & 1:
        raise Refused(_LOCKED)
    size = 0
    try:
        with archive.open(one) as source, target.open("wb") as file:
            while chunk := source.read(_CHUNK):
                size += len(chunk)
                _check_growth(size, one, budget.limits)
                budget.spend(len(chunk))
                file.write(chunk)
    except _BROKEN as error:
        raise Refused(Phrase("Damaged in the archive. Upload the file individually.")) from error


def _check_growth(size: int, one: zipfile.ZipInfo, limits: Limits) -> None:
    if size > _SMALL and size > limits.ratio * max(one.compress_size, 1):
        raise Refused(Phrase("Too large when unpacked. Upload the file individually."))
