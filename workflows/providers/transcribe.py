"""Amazon Transcribe on a recording in S3: a named job, and its transcript in our bucket."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from config.errors import StageFailed
from config.phrase import Sentence
from workflows.providers.calls import Caller, Provider
from workflows.providers.jobs import RunningJob, S3File
from workflows.stages.services import Transcript, Utterance

TRANSCRIBE = Provider(
    "transcribe",
    "Amazon Transcribe",
    {
        "BadRequestException": (
            Sentence(
                "Transcribe does not support this recording or these languages. It reads MP3, MP4, WAV, FLAC, OGG, "
                "AMR, WebM and M4A of up to four hours. Check the project's languages, then re-run the document."
            )
        ),
    },
)
FIRST_LOOK, NEXT_LOOK = 15.0, 10.0  # seconds
_TAKEN = "ConflictException"  # a job with this name exists: ours, as it is named after the run's step


@dataclass(frozen=True)
class Languages:
    """Seed 000's options. auto: one of ``codes`` is detected; direct: it is ``codes[0]``; multi: several may occur."""

    mode: Literal["auto", "direct", "multi"] = "auto"
    codes: tuple[str, ...] = ()


@dataclass(frozen=True)
class FinishedTranscription:
    """The transcript is at the requested key. ``language``: the detected code, if any."""

    language: str


@dataclass(frozen=True)
class Transcribe:
    client: Any
    call: Caller

    def start(self, file: S3File, name: str, languages: Languages, *, output_key: str) -> str:
        """Start the job, or find it started; return its name."""
        wanted: dict[str, Any] = {
            "TranscriptionJobName": name,
            "Media": {"MediaFileUri": file.uri},
            "OutputBucketName": file.bucket,
            "OutputKey": output_key,
            **_languages(languages),
        }
        try:
            self.call(lambda: self.client.start_transcription_job(**wanted))
        except StageFailed as error:
            if error.code != _TAKEN:
                raise
        return name

    def look(self, name: str) -> RunningJob | FinishedTranscription:
        """Raises: StageFailed if the job failed."""
        job = self.call(lambda: self.client.get_transcription_job(TranscriptionJobName=name))["TranscriptionJob"]
        state = job.get("TranscriptionJobStatus")
        if state in {"QUEUED", "IN_PROGRESS"}:
            return RunningJob()
        if state == "FAILED":
            reason = str(job.get("FailureReason") or "it did not say why")
            raise StageFailed(f"Transcribe could not process this recording: {reason}", code="FAILED")
        return FinishedTranscription(str(job.get("LanguageCode") or ""))


def _languages(languages: Languages) -> dict[str, Any]:
    if languages.mode == "direct" and languages.codes:
        return {"LanguageCode": languages.codes[0]}
    options = {"LanguageOptions": list(languages.codes)} if len(languages.codes) > 1 else {}
    word = "IdentifyMultipleLanguages" if languages.mode == "multi" else "IdentifyLanguage"
    return {word: True, **options}


def read_transcribe_output(answer: Mapping[str, Any], language: str = "") -> Transcript:
    """Parse a job's output; older ones have no ``audio_segments`` and are split at sentence ends."""
    results = answer.get("results") or {}
    items = list(results.get("items") or ())
    spoken = [one for one in items if one.get("type") == "pronunciation"]
    scores = [float(one["alternatives"][0].get("confidence") or 0) for one in spoken if one.get("alternatives")]
    utterances = tuple(
        Utterance(int(one.get("id") or 0), str(one.get("transcript") or ""), *_times(one))
        for one in results.get("audio_segments") or ()
    ) or tuple(_sentences(items))
    return Transcript(
        text=" ".join(str(one.get("transcript") or "") for one in results.get("transcripts") or ()).strip(),
        utterances=utterances,
        language=str(results.get("language_code") or language),
        score=sum(scores) / len(scores) if scores else 0.0,
        seconds=max((end for one in spoken for end in (_times(one)[1],)), default=0.0),
    )


def _times(one: Mapping[str, Any]) -> tuple[float, float]:
    return float(one.get("start_time") or 0), float(one.get("end_time") or 0)


def _sentences(items: Sequence[Mapping[str, Any]]) -> list[Utterance]:
    found: list[Utterance] = []
    words: list[str] = []
    start = end = 0.0
    for one in items:
        text = str(((one.get("alternatives") or [{}])[0]).get("content") or "")
        if one.get("type") == "punctuation":
            words[-1:] = [f"{words[-1]}{text}"] if words else []
            if text in ".?!" and words:
                found.append(Utterance(len(found), " ".join(words), start, end))
                words = []
            continue
        start = start if words else _times(one)[0]
        end = _times(one)[1]
        words.append(text)
    return [*found, Utterance(len(found), " ".join(words), start, end)] if words else found
