"""Compressed recordings: their length, their windows, and what is none."""

from pathlib import Path

import numpy as np
import pytest

from config.errors import Refused
from tests.workflows.stages.memory import context, kept, run_all
from tests.workflows.stages.recordings import silent_mp3, tone
from workflows.intake import inspection
from workflows.stages.audio import compressed, speech
from workflows.stages.transcribe import _SILENCE


def test_an_mp3_is_as_long_as_its_frames_and_read_window_by_window(tmp_path: Path) -> None:
    path = silent_mp3(tmp_path / "original", 4)
    length = speech.measure_recording(path)
    assert length == pytest.approx(4, abs=0.05)
    assert len(speech.read_samples(path, 1, 2)) == 2 * speech.RATE
    assert 0 < len(speech.read_samples(path, 3.5, 30)) <= 2 * speech.RATE
    assert set(speech.read_samples(path, 0, 1)) == {0}
    assert speech.read_samples(path, 30, 60) == b""


@pytest.mark.wide
@pytest.mark.parametrize("rate", [8_000, 44_100])
def test_a_window_begins_where_it_is_asked_for_whatever_the_rate(tmp_path: Path, rate: int) -> None:
    """The decoder takes WAV as well: what it gives is held against what is known to be right."""
    path = tone(tmp_path / "a", 3, rate=rate, channels=2)
    ours, theirs = (
        np.frombuffer(body, "<i2").astype(float)
        for body in (speech.read_samples(path, 1, 2), compressed.decode_samples(path, 1, 2, speech.RATE))
    )
    assert len(ours) == len(theirs)
    assert np.corrcoef(ours[200:-200], theirs[200:-200])[0, 1] > 0.97


@pytest.mark.parametrize(
    "head", [b"ID3\x04\x00\x00\x00\x00\x00\x00", b"fLaC", b"OggS\x00\x02" + bytes(30) + b"\x01vorbis"]
)
def test_what_only_begins_like_a_recording_is_refused_with_what_to_do(tmp_path: Path, head: bytes) -> None:
    path = tmp_path / "original"
    path.write_bytes(head + bytes(200))
    with pytest.raises(Refused, match="damaged or incomplete"):
        inspection.inspect(path, "a.mp3")


def test_a_silent_mp3_goes_through_all_stages_and_says_that_nobody_speaks(tmp_path: Path) -> None:
    path = silent_mp3(tmp_path / "a.mp3", 2)
    seen = inspection.inspect(path, "call.mp3")
    assert (seen.file_type, seen.extension) == ("audio/mpeg", ".mp3")
    ctx = context(path, seen.file_type)
    assert run_all(ctx)["transcribe"].status == "completed"
    assert _SILENCE in kept(ctx).json("runs/run1/result.json")["notes"]
