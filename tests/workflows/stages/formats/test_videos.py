"""Videos: what their boxes say, in every form that they have, and what is none."""

import struct
from pathlib import Path

import pytest

from config.errors import Refused
from tests.each import each
from tests.workflows.stages.memory import context, kept, list_reasons, run_all
from workflows.intake import inspection
from workflows.stages.formats import videos


def box(kind: str, *parts: bytes, long: bool = False) -> bytes:
    body = b"".join(parts)
    if long:
        return struct.pack(">I4sQ", 1, kind.encode(), 16 + len(body)) + body
    return struct.pack(">I4s", 8 + len(body), kind.encode()) + body


def track(kind: str, codec: str, width: int = 0, height: int = 0, *, version: int = 0) -> bytes:
    before = 88 if version else 76
    head = bytes([version]) + bytes(before - 1) + struct.pack(">II", width << 16, height << 16)
    entry = struct.pack(">II4s", 1, 16, codec.encode()) if codec else b""
    described = box("stsd", bytes(4) + entry[:4] + entry[4:8] + entry[8:])
    handler = box("hdlr", bytes(8) + kind.encode() + bytes(12))
    return box("trak", box("tkhd", head), box("mdia", handler, box("minf", box("stbl", described))))


def film(*tracks: bytes, brand: str = "isom", scale: int = 1000, length: int = 95_400, version: int = 0) -> bytes:
    times = struct.pack(">IQ", scale, length) if version else struct.pack(">II", scale, length)
    head = bytes([version]) + bytes(19 if version else 11) + times
    return box("ftyp", brand.encode() + bytes(4)) + box("moov", box("mvhd", head), *tracks)


def nested(depth: int) -> bytes:
    """Boxes in boxes, deeper than any program that follows them."""
    sizes = range(8 * depth, 0, -8)
    return box("ftyp", b"isom" + bytes(4)) + b"".join(struct.pack(">I4s", size, b"moov") for size in sizes)


PICTURE, SOUND = track("vide", "avc1", 1920, 1080), track("soun", "mp4a")


def made(folder: Path, body: bytes) -> Path:
    (folder / "original").write_bytes(body)
    return folder / "original"


def said(path: Path) -> list[str]:
    return [block.text for block in videos.read_video(path)]


def test_length_size_and_kinds_are_said(tmp_path: Path) -> None:
    path = made(tmp_path, film(PICTURE, SOUND) + box("mdat", bytes(5000)))
    assert said(path) == ["Video", "Length: 0:01:35", "Picture: 1920 × 1080 pixels, H.264", "Sound: AAC"]


def test_longer_numbers_other_codecs_and_boxes_behind_the_frames(tmp_path: Path) -> None:
    pictures = track("vide", "xyz9", 640, 480, version=1)
    whole = film(pictures, version=1, scale=600, length=600 * 7200)
    head, rest = whole[:16], whole[16:]
    path = made(tmp_path, head + box("mdat", bytes(100), long=True) + rest)
    assert said(path)[1:] == ["Length: 2:00:00", "Picture: 640 × 480 pixels, xyz9", "Sound: none"]


def test_a_film_whose_frames_are_cut_off_says_what_it_knows(tmp_path: Path) -> None:
    path = made(tmp_path, film(PICTURE) + struct.pack(">I4s", 10**6, b"mdat"))
    assert "Length: 0:01:35" in said(path)


@each(
    ("body", "words"),
    [
        (film(SOUND), "only audio"),
        (film(), "damaged or incomplete"),
        (film(PICTURE)[:60], "damaged or incomplete"),
        (box("ftyp", b"isom" + bytes(4)), "damaged or incomplete"),
        (nested(2000), "damaged or incomplete"),
        (film(PICTURE, brand="M4A "), "Save audio as MP3"),
    ],
)
def test_what_is_no_video_is_refused_with_what_to_do(tmp_path: Path, body: bytes, words: str) -> None:
    with pytest.raises(Refused, match=words):
        inspection.inspect(made(tmp_path, body), "a.mp4")


def test_boxes_without_end_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(videos, "_MOST_BOXES", 50)
    with pytest.raises(Refused):
        said(made(tmp_path, film(PICTURE) + box("free") * 60))


@pytest.mark.parametrize(("brand", "kind"), [("isom", "video/mp4"), ("mp42", "video/mp4"), ("qt  ", "video/quicktime")])
def test_a_video_goes_through_all_stages_and_asks_a_person(tmp_path: Path, brand: str, kind: str) -> None:
    path = made(tmp_path, film(PICTURE, SOUND, brand=brand))
    seen = inspection.inspect(path, "a.mp4")
    assert seen.file_type == kind
    ctx = context(path, kind)
    done = run_all(ctx)
    assert done["transcribe"].status == "skipped"
    segment = kept(ctx).json("analysis/segment_0000.json")
    assert segment["segment_type"] == "VIDEO"
    assert "1920 × 1080" in segment["text_content"]
    assert videos.NOTE in list_reasons(ctx)
