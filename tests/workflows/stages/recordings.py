"""Recordings made by hand: tones, silence, in every form that WAV has."""

import math
import struct
import wave
from pathlib import Path


def tone(path: Path, seconds: float, *, rate: int = 16_000, channels: int = 1, width: int = 2) -> Path:
    """A hum that nobody takes for speech."""
    with wave.open(str(path), "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(width)
        file.setframerate(rate)
        for number in range(int(seconds * rate)):
            level = math.sin(2 * math.pi * 440 * number / rate) / 4
            file.writeframes(_number(level, width) * channels)
    return path


def _number(level: float, width: int) -> bytes:
    if width == 1:
        return struct.pack("B", int(128 + 127 * level))
    return int(level * (256**width // 2 - 1)).to_bytes(width, "little", signed=True)


MP3_FRAME = b"\xff\xfb\x90\xc0" + bytes(413)  # layer III, 128 kbit/s, 44.1 kHz, one channel, silent


def silent_mp3(path: Path, seconds: float) -> Path:
    path.write_bytes(MP3_FRAME * round(seconds * 44_100 / 1152))
    return path
