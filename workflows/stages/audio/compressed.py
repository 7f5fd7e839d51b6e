"""Compressed recordings: MP3, FLAC and Ogg Vorbis, decoded window by window."""

from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from config.errors import Refused
from config.phrase import Sentence

DAMAGED = Sentence("This recording is damaged or incomplete. Save it again as MP3 or PCM WAV and upload that.")
_HEAD = 64
_CHUNK = 16_000  # frames that are decoded at a time


def measure_compressed(path: Path) -> float:
    """Return the length in seconds. Raises: Refused if it cannot be decoded."""
    audio = _library()
    try:
        info = _reader(audio, path)(str(path))
    except (audio.MiniaudioError, OSError) as error:
        raise Refused(DAMAGED) from error
    return float(info.duration)


def decode_samples(path: Path, start: float, end: float, rate: int) -> bytes:
    """Decode a part to mono 16-bit samples at ``rate``; only that part is in memory. Raises: Refused."""
    audio = _library()
    # The decoder raises for this; a length that was rounded up leads to it.
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
    # Imported late: only workers that decode such a recording need it.
    import miniaudio  # noqa: PLC0415

    return miniaudio


def _reader(audio: Any, path: Path) -> Callable[[str], Any]:
    """Choose by the file's content: the library goes by file extensions, which originals may lack."""
    with path.open("rb") as file:
        head = file.read(_HEAD)
    readers: Mapping[bytes, Callable[[str], Any]] = {
        b"fLaC": audio.flac_get_file_info,
        b"OggS": audio.vorbis_get_file_info,
        b"RIFF": audio.wav_get_file_info,
    }
    found: Callable[[str], Any] = readers.get(head[:4], audio.mp3_get_file_info)
    return found
