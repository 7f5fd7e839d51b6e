"""Mails and archives for tests."""

import io
import zipfile
from email.message import EmailMessage
from pathlib import Path

from tests.factories import sample_files


def samples() -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sample_files()[:3]}


def zipped(files: dict[str, bytes], *, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return body.getvalue()


def mailed(files: dict[str, bytes], *, subject: str = "Three receipts", text: str = "") -> bytes:
    return mail(files, subject=subject, text=text).as_bytes()


def mail(files: dict[str, bytes], *, subject: str = "Three receipts", text: str = "") -> EmailMessage:
    """Without a text it is only an envelope."""
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "a@example.org", "b@example.org", subject
    message.set_content(text)
    message.add_alternative(f"<p>{text}</p>", subtype="html")
    for name, content in files.items():
        message.add_attachment(content, maintype="application", subtype="octet-stream", filename=name)
    return message


def put(folder: Path, name: str, body: bytes) -> Path:
    path = folder / name
    path.write_bytes(body)
    return path
