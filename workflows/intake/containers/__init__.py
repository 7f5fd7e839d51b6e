"""Containers: extraction of emails and ZIP archives, within limits that are enforced while reading.

No Django and no table here: a path in, files out. Sizes that a file declares are not trusted.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

from config.errors import Refused
from config.phrase import Sentence
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
    """Detect ``ARCHIVE``, ``MAIL`` or ``OUTLOOK`` by content; None for other files, including Office packages.

    ``name`` only helps with text that begins like an email.
    """
    if archives.is_archive(path):
        return ARCHIVE
    if outlook.is_message(path):
        return OUTLOOK
    return MAIL if mails.is_mail(path, name) else None


def check(path: Path, file_type: str, limits: Limits) -> int:
    """Count its files, from the table of contents or the parts, without extracting them to disk.

    Raises:
        Refused: it is damaged, empty or too large, or is a zip bomb.

    """
    count = _CHECKS[file_type](path, limits)
    if count == 0:
        empty = Sentence("This archive contains no files. Upload the documents individually.")
        blank = Sentence("This email has neither text nor attachments. Upload the documents individually.")
        raise Refused(empty if file_type == ARCHIVE else blank)
    return count


def members(path: Path, file_type: str, limits: Limits) -> Iterator[Member]:
    """Yield its files in their order.

    Raises:
        Refused: as ``check``, possibly after some files.

    """
    return _MEMBERS[file_type](path, limits)
