"""Silent recordings made by hand in the forms that no library on this machine writes: FLAC and Ogg Vorbis."""

import struct
from pathlib import Path

RATE = 16_000
_FRAMES = 4096  # samples of a FLAC frame
_LONG = 11  # power of two of a Vorbis block


class _Bits:
    """``most``: whether a byte's highest bit comes first, as in FLAC; Vorbis begins with the lowest."""

    def __init__(self, *, most: bool) -> None:
        self.most, self.bits = most, ""

    def put(self, value: int, width: int) -> "_Bits":
        text = f"{value:0{width}b}" if width else ""
        self.bits += text if self.most else text[::-1]
        return self

    def bytes(self) -> bytes:
        whole = self.bits + "0" * (-len(self.bits) % 8)
        parts = [whole[at : at + 8] for at in range(0, len(whole), 8)]
        return bytes(int(part if self.most else part[::-1], 2) for part in parts)


def _crc(body: bytes, width: int, polynomial: int) -> int:
    """Most significant bit first, from 0, not reflected."""
    found, top = 0, 1 << (width - 1)
    for byte in body:
        found ^= byte << (width - 8)
        for _ in range(8):
            found = (found << 1 ^ polynomial if found & top else found << 1) & ((1 << width) - 1)
    return found


def silent_flac(path: Path, seconds: float = 1) -> Path:
    """Source: RFC 9639; each frame is one constant subframe."""
    frames = max(1, round(seconds * RATE / _FRAMES))
    info = _Bits(most=True).put(_FRAMES, 16).put(_FRAMES, 16).put(0, 24).put(0, 24)
    info.put(RATE, 20).put(0, 3).put(15, 5).put(frames * _FRAMES, 36).put(0, 128)
    body = b"fLaC" + struct.pack(">I", 0x80000000 | len(info.bytes())) + info.bytes()
    for number in range(frames):
        # sync and fixed blocks, 4096 samples at 16 kHz, one channel of 16 bits, the frame's number
        head = _Bits(most=True).put(0xFFF8, 16).put(0b1100, 4).put(0b0101, 4).put(0b0000_1000, 8).put(number, 8).bytes()
        head += bytes([_crc(head, 8, 0x07)])
        frame = head + bytes(1) + bytes(2)  # a constant subframe, whose value is 0
        body += frame + struct.pack(">H", _crc(frame, 16, 0x8005))
    path.write_bytes(body)
    return path


def silent_ogg(path: Path, seconds: float = 1) -> Path:
    """Source: Vorbis I specification; each packet says that its floor is not used."""
    blocks = max(2, round(seconds * RATE / 2 ** (_LONG - 1)))
    ident = b"\x01vorbis" + struct.pack("<IBIiiiBB", 0, 1, RATE, 0, 0, 0, _LONG << 4 | _LONG, 1)
    comment = b"\x03vorbis" + struct.pack("<II", 0, 0) + b"\x01"
    body = _page(0, 2, 0, [ident]) + _page(1, 0, 0, [comment, b"\x05vorbis" + _setup()])
    for number in range(blocks):
        at = number * 2 ** (_LONG - 1)
        body += _page(2 + number, 4 if number == blocks - 1 else 0, at, [b"\x00"])
    path.write_bytes(body)
    return path


def _setup() -> bytes:
    """One codebook of two entries, one floor, residue, mapping and mode: as little as a decoder takes."""
    bits = _Bits(most=False)
    bits.put(0, 8).put(0x564342, 24).put(1, 16).put(2, 24).put(0, 1).put(0, 1).put(0, 5).put(0, 5).put(0, 4)
    bits.put(0, 6).put(0, 16)  # times
    bits.put(0, 6).put(1, 16).put(0, 5).put(0, 2).put(8, 4)  # floor 1 without partitions
    bits.put(0, 6).put(0, 16).put(0, 24).put(0, 24).put(0, 24).put(0, 6).put(0, 8).put(0, 3).put(0, 1)  # residue
    bits.put(0, 6).put(0, 16).put(0, 1).put(0, 1).put(0, 2).put(0, 8).put(0, 8).put(0, 8)  # mapping
    return bits.put(0, 6).put(0, 1).put(0, 16).put(0, 16).put(0, 8).put(1, 1).bytes()


def _page(number: int, flags: int, granule: int, packets: list[bytes]) -> bytes:
    """Source: RFC 3533; no packet is as long as 255 bytes."""
    head = b"OggS" + struct.pack("<BBqIII", 0, flags, granule, 7, number, 0)
    body = bytes([len(packets), *map(len, packets)]) + b"".join(packets)
    return head[:22] + struct.pack("<I", _crc(head + body, 32, 0x04C11DB7)) + body
