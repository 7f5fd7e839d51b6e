"""Emails: sender, recipients, date and text; attachments become separate documents elsewhere."""

import email
from collections.abc import Iterator
from email import policy
from email.message import EmailMessage
from pathlib import Path
from typing import cast

from config.errors import Refused
from config.phrase import Sentence
from workflows.stages.formats import web
from workflows.stages.formats.blocks import Block

MOST_BYTES = 100 * 1024**2  # an email is read whole
HEADS = ("From", "To", "Cc", "Date", "Subject")
_ODD = Sentence("This email is damaged or nested too deeply. Save its text or attachments and upload them.")


def read_mail(path: Path) -> Iterator[Block]:
    """Raises: Refused."""
    if path.stat().st_size > MOST_BYTES:
        raise Refused(f"This email is larger than {MOST_BYTES // 1024**2} MB. Save its attachments and upload them.")
    try:
        with path.open("rb") as file:
            mail = email.message_from_binary_file(file, policy=policy.default)
        yield from _blocks(mail)
    except (RecursionError, ValueError, LookupError, IndexError, TypeError, AttributeError) as error:
        raise Refused(_ODD) from error


def mail_text(mail: EmailMessage) -> str:
    """Return the output of ``read_mail`` as one text."""
    return "\n".join(block.text for block in _blocks(mail))


def _blocks(mail: EmailMessage) -> Iterator[Block]:
    return format_mail(
        {name: str(mail.get(name) or "") for name in HEADS}, mail_body_lines(mail), attachment_names(mail)
    )


def format_mail(heads: dict[str, str], lines: list[str], attached: list[str]) -> Iterator[Block]:
    """Format any kind of email: non-empty headers, the text, names of attachments."""
    title = heads.get("Subject", "") or "Mail"
    yield Block(
        "\n".join(f"{name}: {' '.join(text.split())}" for name, text in heads.items() if text), title, starts=True
    )
    for line in lines:
        yield Block(line)
    if attached:
        yield Block(f"Attached: {', '.join(attached)}")


def mail_body_lines(mail: EmailMessage) -> list[str]:
    """Return the lines of the plain text, else of the HTML."""
    part = cast("EmailMessage | None", mail.get_body(("plain", "html")))
    if part is None:
        return []
    payload = cast("bytes | None", part.get_payload(decode=True)) or b""
    charset = str(part.get_content_charset() or "")
    if part.get_content_type() == "text/html":
        return list(web.parse_web_page(payload, charset=charset, whole=True).lines)
    return decode_payload(payload, charset).splitlines()


def decode_payload(payload: bytes, charset: str) -> str:
    for name in (charset, "utf-8"):
        try:
            if name:
                return payload.decode(name)
        except (UnicodeDecodeError, LookupError):
            continue
    return payload.decode("cp1252", "replace")


def attachment_names(mail: EmailMessage) -> list[str]:
    return [str(one.get_filename()) for one in mail.iter_attachments() if one.get_filename()]
