"""Stage transcribe, locally: a draft transcript of a recording, which always needs a review."""

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from config.errors import Refused, StageFailed
from config.phrase import Sentence
from workflows.stages import artifacts, file_kinds, slices
from workflows.stages.audio import speech
from workflows.stages.base import Job, SliceResult, Slicing, StageContext, StageResult, StartedJob, Tally
from workflows.stages.formats.blocks import LONGEST
from workflows.stages.pages import paged
from workflows.stages.services import Transcriber
from workflows.stages.text import text_segments
from workflows.stages.usage import Usage
from workflows.storage import files

WINDOW = 30  # seconds of audio in a window; a word on the edge may be lost
SURE = 0.8  # below it, a warning is shown
_WINDOWS = 2  # windows of a slice: processing takes about as long as the audio
NOTE = Sentence("The transcript is a draft by built-in speech recognition. Compare it with the recording.")
_SILENCE = Sentence("No speech was detected in this recording. Check the file or enter the values.")


def run(context: StageContext) -> StageResult:
    return slices.run_all(SLICING, context)


def _plan(context: StageContext) -> Sequence[int] | StageResult:
    if not file_kinds.has_sound(context.file_type):
        return StageResult("skipped", Sentence("Only recordings are transcribed."))
    if context.services.transcriber:
        return _collect_transcript(context, context.services.transcriber)
    try:
        return range(math.ceil(speech.measure_recording(context.original) / WINDOW))
    except Refused as error:
        raise StageFailed(str(error)) from error


def _work(context: StageContext, indices: Sequence[int]) -> SliceResult:
    found: list[dict[str, Any]] = []
    for index in indices:
        for one in speech.transcribe_span(context.original, index * WINDOW, (index + 1) * WINDOW):
            found.append({"transcript": one.text, "start_time": one.start, "end_time": one.end})
        context.heartbeat()
    return SliceResult(output=found)


def _begin(context: StageContext) -> StartedJob | None:
    service = context.services.transcriber
    if service is None or not file_kinds.has_sound(context.file_type):
        return None
    return StartedJob(service.service, service.begin())


def _collect(context: StageContext, job: str) -> bool:
    service = context.services.transcriber
    if service is None:
        return True
    found = service.look(job)
    if found is None:
        return False
    spoken = [{"transcript": one.text, "start_time": one.start, "end_time": one.end} for one in found.utterances]
    heard = {"spoken": spoken, "language": found.language, "score": round(found.score, 4), "seconds": found.seconds}
    artifacts.write_json(context.artifacts, files.HEARD, heard)
    return True


JOB = Job(_begin, _collect)


def _collect_transcript(context: StageContext, service: Transcriber) -> StageResult:
    """The job's output was collected before."""
    heard = artifacts.read_json(context.artifacts, files.HEARD)
    note = (
        Sentence("The transcript has a confidence of only %(score)s.").fill(score=f"{heard['score']:.0%}")
        if heard["score"] < SURE
        else ""
    )
    head = {"model": service.model, "draft": False, "note": (note if heard["spoken"] else _SILENCE) or None}
    used = Usage(service.service, service.model, calls=1, ms=round(float(heard["seconds"]) * 1000))
    written = _write_transcript(context, heard["spoken"], heard["language"], head)
    return replace(written, used=(used,))


def _finish(context: StageContext, done: Tally) -> StageResult:
    spoken = list(itertools.chain.from_iterable(done.outputs))
    head = {"model": speech.MODEL, "draft": True, "note": NOTE if spoken else _SILENCE}
    return _write_transcript(context, spoken, "en-US", head)


def _write_transcript(
    context: StageContext, heard: Sequence[dict[str, Any]], language: str, head: dict[str, Any]
) -> StageResult:
    spoken = [{"id": number, **one} for number, one in enumerate(heard)]
    text = "\n".join(str(one["transcript"]) for one in spoken)
    chunks = list(_chunks(spoken)) or [{"text": "", "spoken": []}]
    entries = [{"chunk_index": number, "title": "", **one} for number, one in enumerate(chunks)]
    paged.TRANSCRIPT.write(context.artifacts, entries)
    results = {"transcripts": [{"transcript": text}], "language_code": language, "audio_segments": spoken}
    paged.TRANSCRIPT.finish(context.artifacts, range(len(entries)), {"results": results, **head})
    context.artifacts.write(files.TRANSCRIPT_TEXT, text.encode(), "text/plain; charset=utf-8")
    text_segments.write_text_metadata(context, [""] * len(entries))
    return StageResult("completed", facts={"model": head["model"], "segment_count": len(entries)})


SLICING = Slicing(_WINDOWS, _plan, _work, _finish)


def _chunks(spoken: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield as many utterances as fit into a segment."""
    held: list[dict[str, Any]] = []
    size = 0
    for one in spoken:
        size += len(one["transcript"]) + 1
        if held and size > LONGEST:
            yield _chunk(held)
            held, size = [], len(one["transcript"]) + 1
        held.append(one)
    if held:
        yield _chunk(held)


def _chunk(spoken: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return {"text": "\n".join(str(one["transcript"]) for one in spoken), "spoken": list(spoken)}
