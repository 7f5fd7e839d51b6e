from pathlib import Path

import numpy as np
import pytest
from django.conf import settings

from config.errors import Refused, StageFailed
from tests.each import each
from tests.workflows.stages.memory import context, kept, run_all
from tests.workflows.stages.recordings import tone
from workflows.stages import transcribe
from workflows.stages.audio import speech
from workflows.stages.audio.speech import Utterance
from workflows.stages.base import StageContext

SAMPLE = Path(settings.BASE_DIR).parent / "shared/samples/audio/call-dev-1.wav"


@pytest.fixture
def spoken(monkeypatch: pytest.MonkeyPatch) -> None:
    """The recogniser hears a sentence in each window: what it makes of real speech is not the stage's doing."""

    def heard(_path: Path, start: float, end: float) -> list[Utterance]:
        return [Utterance(f"invoice number {start:.0f}", start + 1, end - 1)]

    monkeypatch.setattr(speech, "transcribe_span", heard)


def recording(folder: Path, seconds: float) -> StageContext:
    return context(tone(folder / "a.wav", seconds, rate=8000), "audio/wav")


@pytest.mark.wide
def test_a_recording_becomes_a_segment_with_its_times(spoken: None, tmp_path: Path) -> None:
    ctx = recording(tmp_path, 65)
    results = run_all(ctx)
    assert results["transcribe"].facts == {"model": speech.MODEL, "segment_count": 1}
    segment = kept(ctx).json("analysis/segment_0000.json")
    assert (segment["segment_type"], segment["image_uri"]) == ("AUDIO", None)
    assert segment["transcribe"] == "invoice number 0\ninvoice number 30\ninvoice number 60"
    assert segment["transcribe_segments"][1] == {
        "id": 1, "transcript": "invoice number 30", "start_time": 31, "end_time": 59,
    }  # fmt: skip
    assert kept(ctx).kept["transcribe/transcript.txt"].decode() == segment["transcribe"]


def test_a_draft_always_asks_a_person(spoken: None, tmp_path: Path) -> None:
    ctx = recording(tmp_path, 5)
    assert run_all(ctx)["assess"].facts["review_required"]
    assert transcribe.NOTE in kept(ctx).json("runs/run1/result.json")["notes"]


@pytest.mark.slow
def test_a_long_talk_is_cut_into_segments_between_utterances(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = "word " * 1400
    monkeypatch.setattr(speech, "transcribe_span", lambda _path, start, _end: [Utterance(words, start, start + 1)] * 2)
    ctx = recording(tmp_path, 65)
    run_all(ctx)
    assert [one["title"] for one in kept(ctx).json("preprocessed/metadata.json")["segments"]] == [""] * 3
    assert len(kept(ctx).json("analysis/segment_0002.json")["transcribe_segments"]) == 2


def test_silence_is_said_to_be_one(tmp_path: Path) -> None:
    ctx = recording(tmp_path, 1)
    run_all(ctx)
    result = kept(ctx).json("runs/run1/result.json")
    assert any("No speech was detected" in note for note in result["notes"])
    assert len(result["pages"]) == 1


@pytest.mark.wide
@each("width", [1, 2, 3, 4])
@each(("rate", "channels"), [(8_000, 1), (44_100, 2)])
def test_every_form_of_wav_becomes_what_the_model_reads(tmp_path: Path, width: int, rate: int, channels: int) -> None:
    path = tone(tmp_path / "a.wav", 0.5, rate=rate, channels=channels, width=width)
    found = np.frombuffer(speech.read_samples(path, 0, 30), "<i2")
    assert abs(len(found) - 8_000) <= 2
    assert 6_000 < found.max() < 9_000
    assert -9_000 < found.min() < -6_000


def test_a_window_is_read_alone(tmp_path: Path) -> None:
    path = tone(tmp_path / "a.wav", 3)
    assert len(speech.read_samples(path, 1, 2)) == 2 * speech.RATE
    assert speech.read_samples(path, 5, 6) == b""


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [0.03, 6, 6.01, 31])
def test_a_recording_may_end_with_any_frame(tmp_path: Path, seconds: float) -> None:
    """A window that is full ends with a whole one: so does each recording longer than that."""
    path = tone(tmp_path / "a.wav", seconds)
    assert speech.transcribe_span(path, 0, transcribe.WINDOW) == []
    assert speech.transcribe_span(path, seconds + 1, seconds + 2) == []


def test_a_recording_that_was_written_into_a_pipe_is_as_long_as_its_bytes(tmp_path: Path) -> None:
    path = tone(tmp_path / "a.wav", 2)
    body = bytearray(path.read_bytes())
    body[4:8] = body[40:44] = b"\xff" * 4  # nobody knew how much would come
    path.write_bytes(body)
    assert speech.measure_recording(path) == pytest.approx(2, abs=0.01)
    assert len(speech.read_samples(path, 1, 3)) == 2 * speech.RATE


def test_what_is_no_recording_is_refused_with_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "a.wav"
    for body in (b"RIFF", b"RIFF\x00\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x55\x00" + bytes(40)):
        path.write_bytes(body)
        with pytest.raises(Refused, match="PCM WAV"):
            speech.measure_recording(path)
        with pytest.raises(StageFailed, match="PCM WAV"):
            transcribe.run(context(path, "audio/wav"))
    body = bytearray(tone(path, 1).read_bytes())
    body[24:28] = bytes(4)  # a rate of 0 Hz: no second has a frame
    path.write_bytes(body)
    with pytest.raises(Refused, match="PCM WAV"):
        speech.measure_recording(path)
    with pytest.raises(Refused, match="empty"):
        speech.measure_recording(tone(path, 0))


@pytest.mark.slow
@pytest.mark.skipif(not SAMPLE.exists(), reason="the sample documents are not on this machine")
def test_real_speech_is_heard_as_a_draft() -> None:
    found = speech.transcribe_span(SAMPLE, 0, transcribe.WINDOW)
    assert speech.transcribe_span(SAMPLE, 0, transcribe.WINDOW) == found  # whatever was heard before
    assert "two hundred and thirty dollars" in " ".join(one.text for one in found)
    assert all(0 <= one.start < one.end <= 13 for one in found)
