"""Files that hold files, mails and ZIP archives: what comes out of them, within limits that hold while they are read.

No Django and no table here: a path in, files out. Nothing is believed of what a file says about its own size.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

from config.errors import Refused
from workflows.intake.containers import archives, mails, outlook
from workflows.intake.containers.members import Limits as Limits
from workflows.intake.containers.members import Member as Member
from workflows.stages.formats import ARCHIVE as ARCHIVE
from workflows.stages.formats import MAIL as MAIL
from workflows.stages.formats import OUTLOOK as OUTLOOK

EXTENSIONS = {MAIL: ".eml", OUTLOOK: ".msg", ARCHIVE: ".zip"}
_CHECKS: dict[str, Callable[[Path, Limits], int]] = {
    MAIL: mails.check,
    OUTLOOK: outlook.check,
    ARCHIVE: archives.check,
}
_MEMBERS: dict[str, Callable[[Path, Limits], Iterator[Member]]] = {
    MAIL: mails.members,
    OUTLOOK: outlook.members,
    ARCHIVE: archives.members,
}


def container_type(path: Path, name: str = "") -> str | None:
    """``ARCHIVE``, ``MAIL`` or ``OUTLOOK`` by the content; None for every other file, also for Office's archives.

    ``name`` only tells a text that begins as mails do.
    """
    if archives.is_archive(path):
        return ARCHIVE
    if outlook.is_message(path):
        return OUTLOOK
    return MAIL if mails.is_mail(path, name) else None


def check(path: Path, file_type: str, limits: Limits) -> int:
    """How many files it holds, from its table of contents or its parts; nothing is unpacked to the disk.

    Raises:
        Refused: it is damaged, holds nothing or too much, or is made to fill a disk.

    """
    count = _CHECKS[file_type](path, limits)
    if count == 0:
        what = "archive holds no file" if file_type == ARCHIVE else "mail has neither text nor attachment"
        raise Refused(f"This {what}. Upload the documents themselves.")
    return count


def members(path: Path, file_type: str, limits: Limits) -> Iterator[Member]:
    """The files in it, one after the other and in its own order.

    Raises:
        Refused: as ``check``, also in the middle.

    """
    return _MEMBERS[file_type](path, limits)
