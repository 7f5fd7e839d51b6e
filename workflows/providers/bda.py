"""Amazon Bedrock Data Automation on a document in S3: a job, and its standard output in our bucket."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from config.errors import StageFailed
from config.phrase import Sentence
from workflows.providers.calls import Caller, Provider
from workflows.providers.jobs import RunningJob, S3File
from workflows.stages.services import Chapter, Output

BDA = Provider(
    "bda",
    "Bedrock Data Automation",
    {
        "ResourceNotFoundException": (
            Sentence("Data Automation project not found. Check COUNTERSIGN_BDA_PROJECT_ARN and re-run the document.")
        ),
        "ValidationException": (
            Sentence(
                "Data Automation does not support this file, or its project or profile is in another region. Check "
                "COUNTERSIGN_BDA_PROJECT_ARN and COUNTERSIGN_BDA_PROFILE_ARN, then re-run the document."
            )
        ),
    },
)
FIRST_LOOK, NEXT_LOOK = 10.0, 10.0  # seconds
_WAITING = frozenset({"Created", "InProgress"})


@dataclass(frozen=True)
class FinishedInvocation:
    """``metadata_uri``: of the job_metadata.json, which names the outputs."""

    metadata_uri: str


@dataclass(frozen=True)
class DataAutomation:
    """``project`` and ``profile``: ARNs from the deployment's settings."""

    client: Any
    call: Caller
    project: str
    profile: str

    def start(self, file: S3File, token: str, *, output_uri: str) -> str:
        """Start an invocation and return its ARN. Idempotent for the same ``token``."""
        if not self.project or not self.profile:
            raise StageFailed(
                "Bedrock Data Automation is not configured. Set COUNTERSIGN_BDA_PROJECT_ARN and "
                "COUNTERSIGN_BDA_PROFILE_ARN, then re-run the document."
            )
        wanted: dict[str, Any] = {
            "clientToken": token,
            "inputConfiguration": {"s3Uri": file.uri},
            "outputConfiguration": {"s3Uri": output_uri},
            "dataAutomationConfiguration": {"dataAutomationProjectArn": self.project, "stage": "LIVE"},
            "dataAutomationProfileArn": self.profile,
        }
        return str(self.call(lambda: self.client.invoke_data_automation_async(**wanted))["invocationArn"])

    def look(self, invocation: str) -> RunningJob | FinishedInvocation:
        """Raises: StageFailed if it failed."""
        found = self.call(lambda: self.client.get_data_automation_status(invocationArn=invocation))
        state = str(found["status"])
        if state in _WAITING:
            return RunningJob()
        if state != "Success":
            reason = str(found.get("errorMessage") or found.get("errorType") or state)
            raise StageFailed(f"Data Automation could not read this document: {reason}", code=state)
        return FinishedInvocation(str(found["outputConfiguration"]["s3Uri"]))


def list_outputs(metadata: Mapping[str, Any]) -> list[str]:
    """List the URIs of the standard outputs in a job_metadata.json, one for each part of the input."""
    return [
        str(segment["standard_output_path"])
        for asset in metadata.get("output_metadata") or ()
        for segment in asset.get("segment_metadata") or ()
        if segment.get("standard_output_path")
    ]


def read_bda_output(answer: Mapping[str, Any]) -> Output:
    """Parse the standard output of a document, an image, a recording or a video; missing parts are omitted."""
    pages = {
        int(page.get("page_index") or 0): _text(page.get("representation") or {}) for page in answer.get("pages") or ()
    }
    parts = ("document", "image", "video", "audio")
    whole: Mapping[str, Any] = next((answer[part] for part in parts if part in answer), {})
    if not pages and (text := _text(whole.get("representation") or {})):
        pages = {0: text}
    chapters = tuple(
        Chapter(
            str(one.get("summary") or _text(one.get("transcript", {}).get("representation") or {})),
            str(one.get("start_timecode_smpte") or ""),
            str(one.get("end_timecode_smpte") or ""),
        )
        for one in answer.get("chapters") or ()
    )
    return Output(pages, str(whole.get("summary") or ""), chapters)


def _text(representation: Mapping[str, Any]) -> str:
    return str(representation.get("markdown") or representation.get("text") or "")
