import time
from email.message import EmailMessage
from pathlib import Path

import pytest
from django.conf import settings

from config.errors import Refused
from tests.each import each
from workflows.stages import formats
from workflows.stages.formats import outlook, texts, web
from workflows.stages.pages import text_page

SAMPLES = Path(settings.BASE_DIR).parent / "shared/samples"


def read(path: Path, body: bytes, kind: str) -> list[str]:
    path.write_bytes(body)
    return [one.text for one in formats.read_chunks(path, kind)]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_a_text_is_read_in_the_encoding_that_it_shows(tmp_path: Path, encoding: str) -> None:
    assert read(tmp_path / "a", "Grüße\r\naus Köln\n".encode(encoding), formats.TEXT) == ["Grüße\naus Köln"]


def test_an_umlaut_late_in_a_long_text_still_tells_its_encoding(tmp_path: Path) -> None:
    body = b"plain words\n" * 10_000 + "Köln".encode("cp1252")
    assert read(tmp_path / "a", body, formats.TEXT)[-1].endswith("Köln")


def test_what_stops_being_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="only its beginning is text"):
        read(tmp_path / "a", b"words\n" * 20_000 + b"\x00\x01\x02", formats.TEXT)
    with pytest.raises(Refused):
        read(tmp_path / "a", bytes(range(256)), formats.TEXT)


def test_a_table_of_text_is_one_table_whatever_parts_its_columns(tmp_path: Path) -> None:
    assert read(tmp_path / "a", 'Name;Sum\n"Müller; Sohn";"1,50"\n'.encode(), formats.CSV) == [
        "| Name | Sum |\n| --- | --- |\n| Müller; Sohn | 1,50 |"
    ]


@pytest.mark.parametrize(
    ("sample", "mark"),
    [
        ("a,b\n1,2\n", ","),
        ("a\tb\tc\n1\t2\t3\n", "\t"),
        ("Dear Sir, hello\nnothing here\n", None),
        ("one line, only", None),
    ],
)
def test_columns_are_known_by_lines_of_equal_parts(sample: str, mark: str | None) -> None:
    assert texts.detect_delimiter(sample) == mark


def test_a_cell_that_never_ends_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="not closed"):
        read(tmp_path / "a", b'a,b\n"' + b"x" * 1_200_000, formats.CSV)


PAGE = """<!doctype html><html><head><title>A day</title><script>var x = "no";</script></head><body>
<nav><a href="/">Home</a></nav><div class="cookie-banner">We use cookies</div>
<main><h1>A day in March</h1><p>It was <b>cold</b>&nbsp;and clear.</p><ul><li>One</li><li>Two</li></ul>
<table><tr><th>Item</th><th>Sum</th></tr><tr><td>Bread</td><td>2.50</td></tr></table><p>%s</p></main>
<footer>All rights reserved</footer></body></html>"""


def test_of_a_web_page_only_what_people_read_is_kept(tmp_path: Path) -> None:
    found = read(tmp_path / "a", (PAGE % ("words " * 60)).encode(), formats.HTML)
    assert found[0].startswith(
        "# A day in March\nIt was cold and clear.\n- One\n- Two\n| Item | Sum |\n| Bread | 2.50 |\nwords"
    )
    for word in ("Home", "cookies", "rights", "var x"):
        assert word not in found[0]


@each("tag", ["div", "span", "p", "blockquote"])
@each("depth", [255, 300, 20_000])
def test_however_deep_a_page_is_nested_all_of_it_is_read(tag: str, depth: int) -> None:
    page = f"<p>Aldgate Ltd</p>{f'<{tag}>' * depth}Total 125.00{f'</{tag}>' * depth}<p>Paid</p>"
    assert web.parse_web_page(page.encode()).lines == ("Aldgate Ltd", "Total 125.00", "Paid")


def test_what_no_one_sees_stays_out_of_a_deep_page() -> None:
    page = f"{'<div>' * 300}<script>var total = 7</script><b>Total</b> 125.00</section>{'</div>' * 300}<p>Paid</p>"
    assert web.parse_web_page(page.encode()).lines == ("Total 125.00", "Paid")


def test_a_table_of_5000_columns_is_read_soon(tmp_path: Path) -> None:
    body = "\n".join(",".join(f"{row}.{column % 90 + 10}" for column in range(5_000)) for row in range(3))
    chunks = read(tmp_path / "a", body.encode(), formats.CSV)
    began = time.process_time()
    page = text_page.page(0, chunks[0])
    assert max(len(row.lines) for row in page.rows) > 1_000
    assert time.process_time() - began < 4  # it was 16 of one core, for each field


def test_a_page_that_is_all_menu_is_shown_as_it_is(tmp_path: Path) -> None:
    assert read(tmp_path / "a", b"<html><body><nav>Home</nav></body></html>", formats.HTML) == ["Home"]
    assert read(tmp_path / "a", b"<!-- nothing -->", formats.HTML) == []


def test_a_page_tells_its_encoding() -> None:
    page = '<meta charset="iso-8859-2"><p>Kraków Łódź</p>'.encode("iso-8859-2")
    assert web.parse_web_page(page).text == "Kraków Łódź"
    assert web.parse_web_page("<p>Köln</p>".encode("cp1252")).text == "Köln"
    assert web.parse_web_page(b'<meta charset="no-such"><p>x</p>').text == "x"


def test_a_page_made_to_nest_for_ever_is_read_as_far_as_it_goes() -> None:
    assert isinstance(web.parse_web_page(b"<div>" * 50_000 + b"x"), web.WebPage)


def mailed(**parts: str) -> bytes:
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = (
        "Ann <a@example.org>",
        "b@example.org",
        "Bill\n of March".replace("\n", ""),
    )
    if "plain" in parts:
        mail.set_content(parts["plain"])
    if "page" in parts:
        (mail.add_alternative if "plain" in parts else mail.set_content)(parts["page"], subtype="html")
    mail.add_attachment(b"%PDF-", maintype="application", subtype="pdf", filename="bill.pdf")
    return mail.as_bytes()


def test_a_mail_is_its_heads_its_text_and_the_names_of_what_is_attached(tmp_path: Path) -> None:
    found = read(tmp_path / "a", mailed(plain="Please pay.\n", page="<p>no</p>"), formats.MAIL)
    assert found == [
        "From: Ann <a@example.org>\nTo: b@example.org\nSubject: Bill of March\nPlease pay.\nAttached: bill.pdf"
    ]


def test_a_mail_that_is_only_a_page_is_read_as_one(tmp_path: Path) -> None:
    assert "Please pay.\n" in read(tmp_path / "a", mailed(page="<p>Please <b>pay</b>.</p>"), formats.MAIL)[0]


def test_rich_text_is_its_words(tmp_path: Path) -> None:
    body = (
        rb"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0 Arial;}}{\*\generator Word;}\f0 M\'fcller \u8364?5\par "
        rb"{\b bold}\tab end\line \{x\}}"
    )
    assert read(tmp_path / "a", body, formats.RTF) == ["Müller €5\nbold\tend\n{x}"]


@pytest.mark.skipif(not SAMPLES.exists(), reason="the sample documents are not on this machine")
def test_an_outlook_message_is_read_as_a_mail_is() -> None:
    path = SAMPLES / "mail/test_outlook_msg.msg"
    found = [one.text for one in formats.read_chunks(path, formats.OUTLOOK)]
    assert "test.sender@example.com>\nTo: test.recipient@example.com\nDate: 2024-12-22 08:23 UTC\n" in found[0]
    assert "This is the body of the test email message" in found[0]


@pytest.mark.parametrize("body", [b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), b"no compound file"])
def test_a_damaged_outlook_message_is_refused(tmp_path: Path, body: bytes) -> None:
    with pytest.raises(Refused, match="Outlook message is damaged"):
        read(tmp_path / "a", body, formats.OUTLOOK)
    assert outlook.kind_of(tmp_path / "a") == "other"


def test_characters_that_turn_text_around_are_left_out(tmp_path: Path) -> None:
    """What a person sees beside the fields is what they were read from: not 21.00 for 00.12."""
    path = tmp_path / "a.txt"
    path.write_text("Acme \u2067Trading\u2069 Ltd\nTotal \u202e00.12\u202c\nשלום\u200f\n", encoding="utf-8")
    (chunk,) = formats.read_chunks(path, formats.TEXT)
    assert chunk.text == "Acme Trading Ltd\nTotal 00.12\nשלום\u200f"
