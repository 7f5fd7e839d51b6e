"""What comes out of mails and archives, and what is made to fill a disk or a memory."""

import io
import struct
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from hypothesis import HealthCheck, given
from hypothesis import settings as effort
from hypothesis import strategies as st

from config.errors import Refused
from tests.examples import at_most
from tests.workflows.boxes import mail, mailed, put, samples, zipped
from workflows.intake import containers
from workflows.intake.containers import ARCHIVE, MAIL, OUTLOOK
from workflows.intake.containers.members import Limits

OUTLOOK_SAMPLE = Path(settings.BASE_DIR).parent / "shared/samples/mail/test_outlook_msg.msg"
LIMITS = Limits(files=20, bytes=10 * 1024**2)


def taken(path: Path, limits: Limits = LIMITS) -> dict[str, bytes | str]:
    """Each file by its name; its sentence where it is refused."""
    kind = containers.container_type(path)
    assert kind
    found: dict[str, bytes | str] = {}
    for number, one in enumerate(containers.members(path, kind, limits)):
        target = path.with_name(f"out-{number}")
        try:
            one.write(target)
            found[one.name] = target.read_bytes()
        except Refused as error:
            found[one.name] = str(error)
    return found


def test_an_archives_files_come_out_without_their_folders(tmp_path: Path) -> None:
    files = {f"2024/März/{name}": body for name, body in samples().items()}
    path = put(tmp_path, "a.zip", zipped(files | {"__MACOSX/._a": b"x", "2024/.DS_Store": b"x"}))
    assert containers.container_type(path) == ARCHIVE
    assert containers.check(path, ARCHIVE, LIMITS) == 3
    assert taken(path) == samples()


def test_a_mails_attachments_come_out_and_then_its_text(tmp_path: Path) -> None:
    path = put(tmp_path, "a.eml", mailed(samples(), text="Please pay all three."))
    assert containers.container_type(path) == MAIL
    assert containers.check(path, MAIL, LIMITS) == 4
    *attached, (name, text) = taken(path).items()
    assert dict(attached) == samples()
    assert name == "Three receipts.txt"
    assert isinstance(text, bytes)
    assert text.decode().startswith(
        "From: a@example.org\nTo: b@example.org\nSubject: Three receipts\nPlease pay all three."
    )


def test_a_mail_without_a_text_is_only_an_envelope(tmp_path: Path) -> None:
    path = put(tmp_path, "a.eml", mailed(samples()))
    assert containers.check(path, MAIL, LIMITS) == 3
    assert taken(path) == samples()


@pytest.mark.skipif(not OUTLOOK_SAMPLE.exists(), reason="the sample documents are not on this machine")
def test_an_outlook_message_is_a_container_too(tmp_path: Path) -> None:
    path = put(tmp_path, "a.msg", OUTLOOK_SAMPLE.read_bytes())
    assert containers.container_type(path) == OUTLOOK
    assert containers.check(path, OUTLOOK, LIMITS) == 1
    ((name, text),) = taken(path).items()
    assert name == "Test Email Message.txt"
    assert b"This is the body of the test email message" in bytes(text)  # type: ignore[arg-type]


def test_pictures_that_the_text_shows_are_no_documents(tmp_path: Path) -> None:
    message = mail({"a.pdf": b"%PDF-"})
    body = message.get_body(("html",))
    assert body is not None
    body.add_related(b"logo", maintype="image", subtype="png", cid="<logo>", filename="logo.png", disposition="inline")
    assert list(taken(put(tmp_path, "a.eml", message.as_bytes()))) == ["a.pdf"]


def test_a_mail_that_is_attached_is_one_file(tmp_path: Path) -> None:
    outer = mail({}, subject="Fwd")
    outer.add_attachment(mail(samples(), subject="The first / one"))
    (name, body), *more = taken(put(tmp_path, "a.eml", outer.as_bytes())).items()
    assert (name, more) == ("one.eml", [])
    inner = put(tmp_path, "inner.eml", body if isinstance(body, bytes) else b"")
    assert taken(inner) == samples()


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("a.txt", b"Dear all,\n\nfrom: nowhere"),
        ("a.pdf", b"%PDF-1.4"),
        ("a.csv", b"name: x\nvalue: y\n"),
        ("a.docx", zipped({"[Content_Types].xml": b"<x/>", "word/document.xml": b"<x/>"})),
    ],
)
def test_what_only_looks_alike_is_neither(tmp_path: Path, name: str, body: bytes) -> None:
    assert containers.container_type(put(tmp_path, name, body)) is None


def test_names_are_shown_and_lead_nowhere(tmp_path: Path) -> None:
    names = ["../../etc/passwd", "C:\\Windows\\x.pdf", "a\x00b.pdf", "...", "/"]
    path = put(tmp_path, "a.zip", zipped(dict.fromkeys(names, b"1")))
    found = list(taken(path))
    assert "passwd" in found
    assert "x.pdf" in found
    assert not [name for name in found if "/" in name or "\\" in name or "\x00" in name]


def refused(path: Path, kind: str, limits: Limits = LIMITS) -> str:
    with pytest.raises(Refused) as error:
        containers.check(path, kind, limits)
    return str(error.value)


def test_what_holds_nothing_or_too_much_is_refused_before_anything_is_unpacked(tmp_path: Path) -> None:
    assert "no file" in refused(put(tmp_path, "a.zip", zipped({})), ARCHIVE)
    assert "neither text nor attachments" in refused(put(tmp_path, "a.eml", mailed({})), MAIL)
    many = {f"{number}.pdf": b"1" for number in range(21)}
    assert "Contains 21 files" in refused(put(tmp_path, "b.zip", zipped(many)), ARCHIVE)
    assert "Contains 21 files" in refused(put(tmp_path, "b.eml", mailed(many)), MAIL)
    large = put(tmp_path, "c.zip", zipped({"a": bytes(11 * 1024**2)}))
    assert "Larger than 10 MB" in refused(large, ARCHIVE)


def test_a_file_that_grows_beyond_reason_is_left_in_its_archive(tmp_path: Path) -> None:
    path = put(tmp_path, "a.zip", zipped({"zeros.pdf": bytes(4 * 1024**2), "good.pdf": b"%PDF-"}))
    found = taken(path)
    assert "Too large when unpacked" in str(found["zeros.pdf"])
    assert found["good.pdf"] == b"%PDF-"


def test_a_size_that_the_archive_lies_about_is_not_believed(tmp_path: Path) -> None:
    body = bytearray(zipped({"a.bin": bytes(range(256)) * 4096}, method=zipfile.ZIP_STORED))
    at = body.rindex(b"PK\x01\x02")
    body[at + 24 : at + 28] = struct.pack("<I", 10)  # the table of contents says ten bytes
    found = taken(put(tmp_path, "a.zip", bytes(body)))
    assert len(found["a.bin"]) <= 1024**2


def test_the_bytes_of_all_files_together_are_counted(tmp_path: Path) -> None:
    files = {name: bytes(range(256)) * 400 for name in ("a", "b", "c")}
    limits = Limits(files=20, bytes=250_000)
    for path in (
        put(tmp_path, "a.zip", zipped(files, method=zipfile.ZIP_STORED)),
        put(tmp_path, "a.eml", mailed(files)),
    ):
        found = taken(path, limits)
        assert [isinstance(one, bytes) for one in found.values()] == [True, True, False]


def test_an_archive_of_a_million_entries_is_refused_by_its_last_bytes(tmp_path: Path) -> None:
    body = bytearray(zipped({"a": b"1"}))
    at = body.rindex(b"PK\x05\x06")
    body[at + 12 : at + 16] = struct.pack("<I", 80 * 1024**2)
    assert "too many files" in refused(put(tmp_path, "a.zip", bytes(body)), ARCHIVE)


def test_a_locked_file_says_so(tmp_path: Path) -> None:
    body = bytearray(zipped({"a.pdf": b"secret"}))
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        body[body.index(mark) + offset] |= 1
    assert "Password" in str(taken(put(tmp_path, "a.zip", bytes(body)))["a.pdf"])


@pytest.fixture
def stack() -> Iterator[None]:
    """As deep as a process of the desk has it; a parser of JSONata in other tests takes more for good."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(1000)
    yield
    sys.setrecursionlimit(before)


@pytest.mark.wide
@pytest.mark.usefixtures("stack")
def test_a_mail_of_mails_of_mails_is_refused(tmp_path: Path) -> None:
    head = b"From: a@example.org\r\nMIME-Version: 1.0\r\n"
    for depth in (100, 5000):
        parts = b"".join(
            b'Content-Type: multipart/mixed; boundary="b%d"\r\n\r\n--b%d\r\n' % (number, number)
            for number in range(depth)
        )
        path = put(tmp_path, f"{depth}.eml", head + parts + b"Content-Type: text/plain\r\n\r\nx")
        assert "nested too deeply" in refused(path, MAIL)


@effort(deadline=None, max_examples=at_most(60), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=400), st.integers(0, 2000), st.booleans())
def test_bytes_out_of_place_are_refused_and_never_an_error(tmp_path: Path, noise: bytes, at: int, mails: bool) -> None:
    body = bytearray(mailed(samples_small()) if mails else zipped(samples_small()))
    at = at % len(body)
    body[at : at + len(noise)] = noise
    path = put(tmp_path, "odd", bytes(body))
    kind = containers.container_type(path)
    if kind:
        try:
            containers.check(path, kind, LIMITS)
            taken(path)
        except Refused:
            return


def samples_small() -> dict[str, bytes]:
    return {"a.pdf": b"%PDF-1.4 " + bytes(range(200)), "b.png": b"\x89PNG" * 20}


def test_an_empty_or_cut_archive_is_refused(tmp_path: Path) -> None:
    whole = zipped(samples_small())
    for body in (whole[: len(whole) // 2], whole[:10], io.BytesIO(b"PK\x03\x04").getvalue()):
        assert "damaged" in refused(put(tmp_path, "a.zip", body), ARCHIVE)
