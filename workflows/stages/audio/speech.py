"""Local speech recognition by PocketSphinx with its bundled model: draft quality, English only."""

import wave
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from pocketsphinx import Decoder, Endpointer

from config.errors import Refused
from config.phrase import Sentence
from workflows.stages.audio import compressed

MODEL = "PocketSphinx, English (draft)"
RATE = 16_000
_LONGEST = 4 * 3600  # seconds of a recording
_COMPRESSED = Sentence("This recording is compressed or damaged. Save it as PCM WAV and upload that.")


@dataclass(frozen=True)
class Utterance:
    """``start`` and ``end`` in seconds of the recording."""

    text: str
    start: float
    end: float


def measure_recording(path: Path) -> float:
    """Return the length in seconds. Raises: Refused if it is unreadable, empty, or too long."""
    length = _read_length(path) if _is_wave(path) else compressed.measure_compressed(path)
    if not length:
        raise Refused("This recording is empty. Check that it was saved completely and upload it again.")
    if length > _LONGEST:
        raise Refused(f"This recording is longer than {_LONGEST // 3600} hours. Split it and upload the parts.")
    return length


def _is_wave(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) == b"RIFF"


def _read_length(path: Path) -> float:
    """Return 0 if it is empty. Raises: Refused."""
    try:
        with wave.open(str(path), "rb") as file:
            if not file.getframerate():
                raise Refused(_COMPRESSED)
            # Recorders that write to a pipe set the maximum length: limit it to the file's size.
            there = path.stat().st_size // max(file.getnchannels() * file.getsampwidth(), 1)
            length = min(file.getnframes(), there) / file.getframerate()
            return length if file.readframes(1) else 0.0
    except (wave.Error, EOFError, OSError, ValueError) as error:
        raise Refused(_COMPRESSED) from error


def transcribe_span(path: Path, start: float, end: float) -> list[Utterance]:
    """Transcribe the part between two times in seconds. Raises: Refused."""
    # Loading takes a second, but a reused decoder adapts, and results would depend on the previous part.
    decoder, endpointer = Decoder(samprate=RATE, loglevel="FATAL"), Endpointer(sample_rate=RATE)
    found: list[Utterance] = []
    began = 0.0
    for frame, last in _frames(read_samples(path, start, end), endpointer.frame_bytes):
        spoke = endpointer.in_speech
        speech = endpointer.end_stream(frame) if last else endpointer.process(frame)
        if speech is None:
            continue
        if not spoke:
            began = endpointer.speech_start
            decoder.start_utt()
        decoder.process_raw(speech, no_search=False, full_utt=False)
        if not endpointer.in_speech:
            decoder.end_utt()
            if text := _text(decoder.hyp()):
                found.append(Utterance(text, round(start + began, 2), round(start + endpointer.speech_end, 2)))
    return found


def _frames(body: bytes, size: int) -> Iterator[tuple[bytes, bool]]:
    """Yield each frame, and whether it is the last.

    The last may be full but never empty, as the endpointer requires.
    """
    for at in range(0, len(body), size):
        yield body[at : at + size], at + size >= len(body)


def _text(hypothesis: Any) -> str:
    return str(hypothesis.hypstr).strip() if hypothesis is not None else ""


def read_samples(path: Path, start: float, end: float) -> bytes:
    """Read a part of the recording as mono 16-bit samples at the model's rate. Raises: Refused."""
    if not _is_wave(path):
        return compressed.decode_samples(path, start, end, RATE)
    try:
        with wave.open(str(path), "rb") as file:
            rate, channels, width = file.getframerate(), file.getnchannels(), file.getsampwidth()
            file.setpos(min(int(start * rate), file.getnframes()))
            body = file.readframes(int((end - start) * rate))
    except (wave.Error, EOFError, OSError, ValueError) as error:
        raise Refused(_COMPRESSED) from error
    mono = _numbers(body, width, channels)
    wanted = np.arange(int(len(mono) * RATE / rate)) * (rate / RATE)
    there = np.arange(len(mono))
    resampled = mono if rate == RATE or not len(mono) else np.interp(wanted, there, mono)
    body = np.clip(resampled, -32_768, 32_767).astype("<i2").tobytes()
    return bytes(body)


def _numbers(body: bytes, width: int, channels: int) -> Any:
    """Return the mean of the channels by frame, scaled to 16 bits."""
    body = body[: len(body) - len(body) % (width * channels)]
    if width == 1:
        values = (np.frombuffer(body, "u1").astype(float) - 128) * 256
    elif width == 3:
        bytes_ = np.frombuffer(body, "u1").reshape(-1, 3).astype("<i4")
        signed = bytes_[:, 0] | bytes_[:, 1] << 8 | (bytes_[:, 2] ^ 0x80) - 0x80 << 16
        values = signed / 256.0
    else:
        values = np.frombuffer(body, f"<i{width}").astype(float) / (1 if width == 2 else 65_536)
    return values.reshape(-1, channels).mean(axis=1)
