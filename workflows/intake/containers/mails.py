"""Emails as files (RFC 5322): their attachments, including attached emails."""

import email
import re
from collections.abc import Iterator
from email import policy
from email.message import EmailMessage
from functools import partial
from pathlib import Path
from typing import cast

from config.errors import Refused
from config.phrase import Phrase, Sentence
from workflows.intake.containers.members import Budget, Limits, Member, printable_name, too_many
from workflows.stages.formats.mails import MOST_BYTES, mail_body_lines, mail_text

_HEAD = 8192
_DEEPEST = 30  # nested parts; mail programs produce four levels
_FIRST: tuple[bytes, ...] = (
    b"from",
    b"received",
    b"return-path",
    b"mime-version",
    b"delivered-to",
    b"message-id",
    b"date",
    b"subject",
)
_FIRST += (b"to", b"x-", b"reply-to", b"content-type", b"dkim-signature", b"arc-", b"authentication-results")
# Headers of an email that was sent, which a text about an email does not have.
_SENT = {b"received", b"return-path", b"delivered-to", b"message-id", b"mime-version", b"content-type"}
# Headers of which a file named as an email has one: a draft has no sender, and a saved one may have lost it.
_KNOWN = _SENT | {b"from", b"to", b"cc", b"bcc", b"date", b"subject", b"reply-to", b"sender", b"x-unsent"}
_HEADER_LINE = re.compile(rb"[!-9;-~]+:|[ \t]")  # RFC 5322, 2.2
_TEXTS = frozenset({".txt", ".text", ".log", ".md", ".markdown", ".csv", ".tsv"})
_ODD = Sentence("This email is damaged or nested too deeply. Save the attachments and upload them.")


def is_mail(path: Path, name: str = "") -> bool:
    """Return True if it begins with headers that include a sender: any text may begin with a word and a colon.

    A file named as an email needs no sender, if all before its first empty line are headers and one of them is known.

    A file named as text must have headers that only a sent email has. The text extracted from an email begins with its
    sender and recipients, and would otherwise be taken for an email with the same text in it, endlessly.
    """
    with path.open("rb") as file:
        head = file.read(_HEAD).lstrip(b"\xef\xbb\xbf\r\n").lower()
    heads, end, _ = head.replace(b"\r\n", b"\n").partition(b"\n\n")
    lines = heads.removesuffix(b"\n").split(b"\n")
    is_cut = not end and len(head) > _HEAD - 4
    names = [line.partition(b":")[0] for line in lines if b":" in line and line[:1] not in {b" ", b"\t"}]
    suffix = Path(name).suffix.casefold()
    if suffix in _TEXTS and not _SENT & set(names):
        return False
    if suffix == ".eml" and _KNOWN & set(names) and all(map(_HEADER_LINE.match, lines[: len(lines) - is_cut] or lines)):
        return True
    return bool(names) and names[0].startswith(_FIRST) and bool({b"from", b"received"} & set(names))


def check(path: Path, limits: Limits) -> int:
    """Raises: Refused."""
    mail, attached = _parts(path)
    if len(attached) > limits.files:
        raise too_many(len(attached), limits)
    return len(attached) + bool(_text(mail))


def members(path: Path, limits: Limits) -> Iterator[Member]:
    """Yield the attachments, then the email's own text. Raises: Refused."""
    budget = Budget(limits)
    mail, attached = _parts(path)
    for number, part in enumerate(attached, start=1):
        if number > limits.files:
            raise too_many(number, limits)
        yield Member(_name(part, number), partial(_write, part, budget))
    if text := _text(mail):
        yield text_member(str(mail.get("Subject") or ""), text, budget)


def text_member(subject: str, text: str, budget: Budget) -> Member:
    """Return the text of an email as a file of its own; for all kinds of emails."""

    def write(target: Path) -> None:
        content = text.encode("utf-8", "replace")
        budget.spend(len(content))
        target.write_bytes(content)

    return Member(printable_name(f"{subject or 'Mail'}.txt", "Mail.txt"), write)


def _text(mail: EmailMessage) -> str:
    """Return the text with sender and recipients; empty if there is no text."""
    try:
        return mail_text(mail) if any(line.strip() for line in mail_body_lines(mail)) else ""
    except (RecursionError, ValueError, LookupError, IndexError, TypeError, AttributeError) as error:
        raise Refused(_ODD) from error


def _write(part: EmailMessage, budget: Budget, target: Path) -> None:
    content = _content(part)
    budget.spend(len(content))
    target.write_bytes(content)


def _parts(path: Path) -> tuple[EmailMessage, list[EmailMessage]]:
    """Raises: Refused."""
    if path.stat().st_size > MOST_BYTES:
        raise Refused(
            Phrase("This email is larger than %(value)s MB. Save the attachments and upload them.")
            % {"value": MOST_BYTES // 1024**2}
        )
    try:
        with path.open("rb") as file:
            mail = email.message_from_binary_file(file, policy=policy.default)
        return mail, list(_find_attachments(mail, 0))
    except (RecursionError, ValueError, LookupError, IndexError, TypeError, AttributeError) as error:
        raise Refused(_ODD) from error


def _find_attachments(part: EmailMessage, depth: int) -> Iterator[EmailMessage]:
    if depth > _DEEPEST:
        raise Refused(_ODD)
    if part.get_content_type() == "message/rfc822" and depth:
        yield part  # an attached email, with attachments of its own
    elif part.is_multipart():
        for one in part.iter_parts():
            yield from _find_attachments(cast("EmailMessage", one), depth + 1)
    elif depth and _is_document(part):
        yield part


def _is_document(part: EmailMessage) -> bool:
    """Return True unless it is the email's own text or an image shown in it, such as a logo or signature."""
    shown_in_text = part.get_content_disposition() == "inline" and part.get("Content-ID")
    return bool(part.get_filename() or part.get_content_maintype() != "text") and not shown_in_text


def _content(part: EmailMessage) -> bytes:
    if part.get_content_type() == "message/rfc822":
        payload = cast("list[EmailMessage]", part.get_payload())
        return payload[0].as_bytes() if payload else b""
    return cast("bytes | None", part.get_payload(decode=True)) or b""


def _name(part: EmailMessage, number: int) -> str:
    if part.get_content_type() == "message/rfc822":
        payload = cast("list[EmailMessage]", part.get_payload())
        subject = str(payload[0].get("Subject", "")) if payload else ""
        return printable_name(f"{subject or f'Mail {number}'}.eml", f"Mail {number}.eml")
    return printable_name(str(part.get_filename() or ""), f"Attachment {number}")
