"""Services that process a whole file: they start a job, which is polled until it is done."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from django.conf import settings

from config import aws
from workflows.providers import actions as provider_actions
from workflows.providers import bda, transcribe
from workflows.providers.bda import BDA, DataAutomation
from workflows.providers.calls import Caller, Provider
from workflows.providers.jobs import RunningJob, S3File
from workflows.providers.textract import TEXTRACT as TEXTRACT_SERVICE
from workflows.providers.textract import Notice, Textract, make_job_tag, queries_for
from workflows.providers.transcribe import TRANSCRIBE, Languages, Transcribe
from workflows.runs.items import DocumentWorkflow, Run
from workflows.runs.run_files import files_of
from workflows.stages.base import RunSettings
from workflows.stages.models.languages import language_code
from workflows.stages.pages.reading import DocumentReading
from workflows.stages.services import (
    Automation,
    DocumentReader,
    Output,
    Transcriber,
    Transcript,
)
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

# Seed 000's languages whose Transcribe code is not <language>-<country> with the same letters.
_SPOKEN = {
    "en": "en-US", "ko": "ko-KR", "ja": "ja-JP", "zh": "zh-CN", "pt": "pt-BR", "sv": "sv-SE", "da": "da-DK",
    "no": "no-NO", "ar": "ar-SA", "hi": "hi-IN", "vi": "vi-VN", "ms": "ms-MY",
}  # fmt: skip


def make_caller(provider: Provider) -> Caller:
    return Caller(provider, provider_actions, settings.PROVIDER_ATTEMPTS)


def make_document_reader(
    run: Run, pinned: RunSettings, document: DocumentWorkflow, token: str, heartbeat: Callable[[], None]
) -> DocumentReader | None:
    spec = pinned.ocr_spec
    if spec.provider != TEXTRACT_SERVICE.name:
        return None
    client, caller = aws.provider_client("textract"), make_caller(TEXTRACT_SERVICE)
    textract = Textract(client, caller, heartbeat, spec.features, _notice_of(run))
    return TextractReader(textract, _original(files_of(run), document), token)


def _notice_of(run: Run) -> Notice | None:
    tag = make_job_tag(run.site, run.workflow_id)
    if not settings.TEXTRACT_TOPIC_ARN or not tag:
        return None
    return Notice(settings.TEXTRACT_TOPIC_ARN, settings.TEXTRACT_ROLE_ARN, tag)


def _original(store: DocumentFiles, document: DocumentWorkflow) -> S3File:
    key = store.root + store.name_of(document.data["file_uri"])
    return S3File(settings.BUCKET_NAME, key, document.s3version or "")


def make_transcriber(run: Run, pinned: RunSettings, document: DocumentWorkflow, token: str) -> Transcriber | None:
    if pinned.transcriber != TRANSCRIBE.name:
        return None
    store = files_of(run)
    spoken = _transcribe_language(pinned.language)
    service = Transcribe(aws.provider_client("transcribe"), make_caller(TRANSCRIBE))
    return TranscribeReader(service, store, _original(store, document), token, Languages("direct", (spoken,)))


def _transcribe_language(language: str) -> str:
    """Return Transcribe's language code, with the country of the stored one if it has one."""
    code, _, region = language_code(language).partition("-")
    if len(region) == 2:  # a country; Hant would be a script
        return f"{code}-{region.upper()}"
    return _SPOKEN.get(code, f"{code}-{code.upper()}")


def make_automation(run: Run, pinned: RunSettings, document: DocumentWorkflow, token: str) -> Automation | None:
    if not pinned.use_bda:
        return None
    store = files_of(run)
    client = aws.provider_client("bedrock-data-automation-runtime")
    service = DataAutomation(client, make_caller(BDA), settings.BDA_PROJECT_ARN, settings.BDA_PROFILE_ARN)
    return AutomationReader(service, store, _original(store, document), token)


@dataclass(frozen=True)
class TextractReader:
    """Textract on one document: a DocumentReader."""

    textract: Textract
    file: S3File
    token: str
    service: str = TEXTRACT_SERVICE.name
    model: str = TEXTRACT_SERVICE.label

    def begin(self, fields: Mapping[str, str]) -> str:
        return self.textract.start(self.file, self.token, queries_for(fields))

    def look(self, job: str) -> DocumentReading | None:
        found = self.textract.look(job)
        return None if isinstance(found, RunningJob) else found


@dataclass(frozen=True)
class TranscribeReader:
    """Transcribe on one recording: a Transcriber. Its output is stored among the document's artifacts."""

    transcribe: Transcribe
    store: DocumentFiles
    file: S3File
    token: str
    languages: Languages
    service: str = TRANSCRIBE.name
    model: str = TRANSCRIBE.label

    def begin(self) -> str:
        key = self.store.root + files.TRANSCRIBED
        return self.transcribe.start(self.file, self.token, self.languages, output_key=key)

    def look(self, job: str) -> Transcript | None:
        found = self.transcribe.look(job)
        if isinstance(found, RunningJob):
            return None
        return transcribe.read_transcribe_output(json.loads(self.store.read(files.TRANSCRIBED)), found.language)


@dataclass(frozen=True)
class AutomationReader:
    """Data Automation on one document: an Automation. Its outputs are stored among the document's artifacts."""

    automation: DataAutomation
    store: DocumentFiles
    file: S3File
    token: str
    service: str = BDA.name
    model: str = BDA.label

    def begin(self) -> str:
        return self.automation.start(self.file, self.token, output_uri=self.store.uri(files.BDA_OUTPUT))

    def look(self, job: str) -> Output | None:
        found = self.automation.look(job)
        if isinstance(found, RunningJob):
            return None
        metadata = json.loads(self.store.read(self.store.name_of(found.metadata_uri)))
        parts = [
            bda.read_bda_output(json.loads(self.store.read(self.store.name_of(address))))
            for address in bda.list_outputs(metadata)
        ]
        pages = {index: text for part in parts for index, text in part.pages.items()}
        summary = " ".join(part.summary for part in parts if part.summary)
        return Output(pages, summary, tuple(chapter for part in parts for chapter in part.chapters))
