"""Recordings that are compressed: MP3, FLAC and Ogg Vorbis, decoded window by window."""

from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from config.errors import Refused

DAMAGED = "This recording is damaged or incomplete. Save it again as MP3 or PCM WAV and upload that."
_HEAD = 64
_CHUNK = 16_000  # frames that are decoded at once


def measure_compressed(path: Path) -> float:
    """Of a recording. Raises: Refused if nothing of it can be decoded."""
    audio = _library()
    try:
        info = _reader(audio, path)(str(path))
    except (audio.MiniaudioError, OSError) as error:
        raise Refused(DAMAGED) from error
    return float(info.duration)


def decode_samples(path: Path, start: float, end: float, rate: int) -> bytes:
    """A part as one channel of 16-bit numbers at ``rate``; only that part is held. Raises: Refused."""
    audio = _library()
    # The decoder calls it an error; a length that was rounded up asks for it.
    if start >= measure_compressed(path):
        return b""
    wanted, found = max(int((end - start) * rate), 0), bytearray()
    try:
        stream = audio.stream_file(
            str(path), audio.SampleFormat.SIGNED16, nchannels=1, sample_rate=rate, frames_to_read=_CHUNK,
            seek_frame=int(start * rate),
        )  # fmt: skip
        with closing(stream):
            for chunk in stream:
                found += chunk.tobytes()
                if len(found) >= 2 * wanted:
                    break
    except (audio.MiniaudioError, OSError) as error:
        raise Refused(DAMAGED) from error
    return bytes(found[: 2 * wanted])


def _library() -> Any:
    # Loaded by the worker that hears such a recording, and by no one else.
    import miniaudio  # noqa: PLC0415

    return miniaudio


def _reader(audio: Any, path: Path) -> Callable[[str], Any]:
    """By the file's beginning: the library goes by names, and an original has none."""
    with path.open("rb") as file:
        head = file.read(_HEAD)
    readers: Mapping[bytes, Callable[[str], Any]] = {
        b"fLaC": audio.flac_get_file_info,
        b"OggS": audio.vorbis_get_file_info,
        b"RIFF": audio.wav_get_file_info,
    }
    found: Callable[[str], Any] = readers.get(head[:4], audio.mp3_get_file_info)
    return found
