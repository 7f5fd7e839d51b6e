"""Metadata of MP4 and QuickTime videos from their boxes (ISO/IEC 14496-12). Images and sound are not read."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from config.errors import Refused
from config.phrase import Sentence
from workflows.stages.formats.blocks import Block

NOTE = Sentence("Only length, size and type of a video are extracted. Watch it and enter the values.")
_DAMAGED = Sentence("This video is damaged or incomplete. Export it again as MP4 and upload that.")
_SOUND_ONLY = Sentence(
    "This file contains only audio in an unsupported codec. Save it as MP3 or PCM WAV and upload that."
)
_INSIDE = {b"moov", b"trak", b"mdia", b"minf", b"stbl"}
_MOST_BOXES = 10_000
_DEEPEST = 12  # nested boxes; cameras write five levels
_MOST_BODY = 4096  # bytes of a box that are read
_CODECS = {
    "avc1": "H.264", "avc3": "H.264", "hvc1": "H.265", "hev1": "H.265", "av01": "AV1", "vp09": "VP9", "mp4v": "MPEG-4",
    "jpeg": "Motion JPEG", "apcn": "ProRes", "mp4a": "AAC", "alac": "ALAC", "ac-3": "AC-3", "ec-3": "E-AC-3",
    "Opus": "Opus", ".mp3": "MP3", "sowt": "PCM", "twos": "PCM",
}  # fmt: skip


@dataclass
class Track:
    """``kind``: vide, soun or another handler type; ``width`` and ``height`` in pixels."""

    kind: str = ""
    codec: str = ""
    width: int = 0
    height: int = 0


@dataclass(frozen=True)
class Video:
    seconds: float
    tracks: tuple[Track, ...]

    def track_of(self, kind: str) -> Track | None:
        return next((one for one in self.tracks if one.kind == kind), None)


def read_video(path: Path) -> Iterator[Block]:
    """Yield the metadata of interest. Raises: Refused."""
    found = read_video_metadata(path)
    picture, sound = found.track_of("vide"), found.track_of("soun")
    if picture is None:
        raise Refused(_SOUND_ONLY if sound else _DAMAGED)
    yield Block("Video", title="Video", starts=True)
    yield Block(f"Length: {_time(found.seconds)}")
    size = f"{picture.width} × {picture.height} pixels, " if picture.width and picture.height else ""
    yield Block(f"Picture: {size}{_CODECS.get(picture.codec, picture.codec)}")
    yield Block(f"Sound: {_CODECS.get(sound.codec, sound.codec) if sound else 'none'}")


def read_video_metadata(path: Path) -> Video:
    """Read boxes only, and no frames, so that memory and time do not grow with the file. Raises: Refused."""
    seconds, tracks, count = 0.0, [], 0
    size = path.stat().st_size
    with path.open("rb") as file:
        for kind, body in _boxes(file, 0, size):
            count += 1
            if count > _MOST_BOXES:
                raise Refused(_DAMAGED)
            if kind == b"mvhd":
                seconds = _length(body)
            elif kind == b"trak":
                tracks.append(Track())
            elif tracks:
                _tell(tracks[-1], kind, body)
    if not tracks:
        raise Refused(_DAMAGED)
    return Video(seconds, tuple(tracks))


def _boxes(file: BinaryIO, start: int, end: int, depth: int = 0) -> Iterator[tuple[bytes, bytes]]:
    """Yield every box in file order, containers before their content. Raises: Refused."""
    if depth > _DEEPEST:
        raise Refused(_DAMAGED)
    at = start
    while at + 8 <= end:
        file.seek(at)
        size, kind = struct.unpack(">I4s", file.read(8))
        head = 8
        if size == 1:
            size, head = struct.unpack(">Q", file.read(8).ljust(8, b"\0"))[0], 16
        elif size == 0:  # to the end of the file
            size = end - at
        if size < head or at + size > end:
            if kind in _INSIDE:
                raise Refused(_DAMAGED)
            return  # the frames are truncated: earlier boxes are valid
        inside = kind in _INSIDE
        yield kind, b"" if inside else file.read(min(size - head, _MOST_BODY))
        if inside:
            yield from _boxes(file, at + head, at + size, depth + 1)
        at += size


def _length(body: bytes) -> float:
    """Parse ``mvhd``: version 1 has longer numbers. 0 if unknown."""
    try:
        if body[:1] == b"\x01":
            scale, length = struct.unpack(">IQ", body[20:32])
        else:
            scale, length = struct.unpack(">II", body[12:20])
    except struct.error as error:
        raise Refused(_DAMAGED) from error
    return float(length / scale) if scale else 0.0


def _tell(track: Track, kind: bytes, body: bytes) -> None:
    if kind == b"hdlr" and not track.kind:
        track.kind = body[8:12].decode("latin-1")
    elif kind == b"stsd" and not track.codec:
        track.codec = body[12:16].decode("latin-1").strip("\0 ")
    elif kind == b"tkhd":
        longer = 12 if body[:1] == b"\x01" else 0  # its times have eight bytes each
        size = body[76 + longer : 84 + longer]
        if len(size) == 8:
            track.width, track.height = (number >> 16 for number in struct.unpack(">II", size))


def _time(seconds: float) -> str:
    """Format a duration.

    >>> _time(3725.4)
    '1:02:05'
    """
    whole = round(seconds)
    return f"{whole // 3600}:{whole % 3600 // 60:02}:{whole % 60:02}"
