"""Amazon Textract on a whole document in S3: a job that is started, polled, and fetched part by part."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from config.errors import StageFailed
from config.phrase import Sentence
from projects.models.spec import FEATURES
from workflows.providers import blocks
from workflows.providers.calls import Caller, Provider
from workflows.providers.jobs import RunningJob, S3File
from workflows.stages.pages.reading import DocumentReading, PageReading

_DAMAGED = Sentence(
    "Textract cannot read this file: it is damaged or locked. Save or scan it again and upload the new file."
)
TEXTRACT = Provider(
    "textract",
    "Amazon Textract",
    {
        "BadDocumentException": _DAMAGED,
        "DocumentTooLargeException": Sentence(
            "This file exceeds Textract's limits (500 MB, 3,000 pages). Split it and upload the parts."
        ),
        "InvalidS3ObjectException": (
            Sentence(
                "Textract cannot open the file in S3. Its bucket must be in the region "
                "COUNTERSIGN_PROVIDERS_REGION, not on the embedded AWS. Change that, then re-run the document."
            )
        ),
        "UnsupportedDocumentException": Sentence(
            "Textract reads PDF, TIFF, PNG and JPEG only. Choose another OCR engine."
        ),
    },
)
FIRST_LOOK, NEXT_LOOK = 5.0, 10.0  # seconds
_MAX_QUERIES = 30  # queries of one document (AWS: "Set Quotas in Amazon Textract", asynchronous)
_PART = 1000  # blocks


_LONGEST_TAG = 64  # letters of a JobTag (AWS)


@dataclass(frozen=True)
class Notice:
    """Where Textract says that a job has ended. ``tag``: comes back with it."""

    topic_arn: str
    role_arn: str
    tag: str


def make_job_tag(site: str, workflow_id: str) -> str:
    """Name the run in its job's notice; empty if it does not fit: then the job is polled only.

    >>> read_job_tag(make_job_tag("acme", "01H"))
    ('acme', '01H')
    """
    tag = f"{site}:{workflow_id}"
    return tag if len(tag) <= _LONGEST_TAG else ""


def read_job_tag(tag: str) -> tuple[str, str]:
    """Return site and run of a tag; empty texts if it is not one of ours."""
    site, _, workflow_id = tag.partition(":")
    return site, workflow_id


@dataclass(frozen=True)
class Query:
    """``alias``: our name of the answer."""

    text: str
    alias: str


@dataclass(frozen=True)
class Textract:
    """``features``: requested in addition to text."""

    client: Any
    call: Caller
    beat: Callable[[], None] = lambda: None
    features: Sequence[str] = tuple(FEATURES)
    notice: Notice | None = None

    def start(self, file: S3File, token: str, queries: Sequence[Query] = ()) -> str:
        """Start a job and return its id. Idempotent for the same ``token``."""
        where = {"Bucket": file.bucket, "Name": file.key} | ({"Version": file.version} if file.version else {})
        wanted: dict[str, Any] = {
            "DocumentLocation": {"S3Object": where},
            "FeatureTypes": self._features(queries),
            "ClientRequestToken": token,
        }
        if "QUERIES" in wanted["FeatureTypes"]:
            asked = [{"Text": one.text, "Alias": one.alias, "Pages": ["*"]} for one in queries[:_MAX_QUERIES]]
            wanted["QueriesConfig"] = {"Queries": asked}
        if self.notice is not None:
            wanted["NotificationChannel"] = {"SNSTopicArn": self.notice.topic_arn, "RoleArn": self.notice.role_arn}
            wanted["JobTag"] = self.notice.tag
        return str(self.call(lambda: self.client.start_document_analysis(**wanted))["JobId"])

    def _features(self, queries: Sequence[Query]) -> list[str]:
        """Return at least one, since a call without features is refused: the layout is the cheapest."""
        return [one for one in self.features if one != "QUERIES" or queries] or ["LAYOUT"]

    def read(self, image: bytes, index: int) -> PageReading:
        """Read one page synchronously: a PNG of at most 10 MB. Raises: StageFailed, ProviderPaused."""
        wanted = {"Document": {"Bytes": image}, "FeatureTypes": self._features(())}
        answer = self.call(lambda: self.client.analyze_document(**wanted))
        found = blocks.read_textract_answer(answer)
        pages = [replace(page, index=index) for page in found.pages[:1]]
        return pages[0] if pages else PageReading(index)

    def look(self, job: str) -> RunningJob | DocumentReading:
        """Poll the job; return all its parts once it has ended.

        Raises:
            StageFailed: the job failed; ``code`` is InvalidJobIdException if AWS has forgotten it (seven days).

        """
        first = self._part(job)
        state = first.get("JobStatus")
        if state == "IN_PROGRESS":
            return RunningJob()
        if state == "FAILED":
            reason = str(first.get("StatusMessage") or "")
            raise StageFailed(TEXTRACT.sentences.get(reason, _DAMAGED), code=reason or "FAILED")
        return blocks.read_textract_answer(blocks.merge_parts(self._parts(job, first)))

    def _parts(self, job: str, part: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        yield part
        while following := part.get("NextToken"):
            self.beat()
            part = self._part(job, following)
            yield part

    def _part(self, job: str, following: str | None = None) -> Mapping[str, Any]:
        wanted: dict[str, Any] = {"JobId": job, "MaxResults": _PART}
        if following:
            wanted["NextToken"] = following
        answer: Mapping[str, Any] = self.call(lambda: self.client.get_document_analysis(**wanted))
        return answer


def queries_for(fields: Mapping[str, str]) -> list[Query]:
    """Return one query a field; ``fields``: alias → label."""
    return [Query(f"What is the {label.strip().lower()}?"[:200], alias) for alias, label in fields.items()]
