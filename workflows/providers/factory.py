"""Which outside services a run's frozen settings choose, built and ready to be asked; who imports it hands them on."""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial

from django.conf import settings
from PIL import Image

from config import aws
from config.environment import ModelEndpoint
from config.errors import NotFound, ProviderPaused, StageFailed
from projects.models.spec import PADDLEX, TESSERACT, TEXTRACT, OcrSpec
from projects.prompts.book import PromptBook
from projects.prompts.prompt import uses_placeholder
from projects.settings.values import BY_MODEL
from workflows.learning.examples import read_examples
from workflows.providers import actions as provider_actions
from workflows.providers import bda, jobs, transcribe
from workflows.providers.bda import BDA, DataAutomation
from workflows.providers.calls import Caller, Provider
from workflows.providers.endpoint import ENDPOINT, Endpoint, ask_for
from workflows.providers.jobs import RunningJob, S3File
from workflows.providers.language_models import chats, model_calls
from workflows.providers.language_models.language_model import LanguageModel
from workflows.providers.tesseract import Tesseract, tesseract_layout
from workflows.providers.textract import TEXTRACT as TEXTRACT_PROVIDER
from workflows.providers.textract import TEXTRACT as TEXTRACT_SERVICE
from workflows.providers.textract import Textract, queries_for
from workflows.providers.transcribe import TRANSCRIBE, Languages, Transcribe
from workflows.runs import pinned_prompts
from workflows.runs.items import DocumentWorkflow, Run
from workflows.stages import paddleocr_processor
from workflows.stages.base import RunSettings, Stage
from workflows.stages.models.languages import language_code
from workflows.stages.pages import ocr
from workflows.stages.pages.reading import DocumentReading, PageReading
from workflows.stages.services import (
    Analyst,
    Automation,
    DocumentReader,
    Inquirer,
    Output,
    PageQuestion,
    PageReader,
    PageReply,
    Services,
    Transcriber,
    Transcript,
    TypeQuestion,
    TypeReply,
    Writer,
)
from workflows.stages.usage import LOCAL, Note, Usage, ignore_usage
from workflows.storage import files
from workflows.storage.objects import DocumentFiles


def make_page_reader(pinned: RunSettings, attempts: int = 0) -> PageReader | None:
    """None if the stage reads by itself, or a service reads the whole document.

    ``attempts``: of one call; 0: as a run makes them.
    """
    spec = pinned.ocr_spec
    if spec.provider == TESSERACT:
        return Tesseract(pinned.ocr_languages, layout=tesseract_layout(spec), dpi=spec.dpi)
    return _make_endpoint(spec, attempts or settings.PROVIDER_ATTEMPTS) if spec.provider == PADDLEX else None


def _make_endpoint(spec: OcrSpec, attempts: int) -> Endpoint:
    bound = find_endpoint(spec.endpoint)
    provider = Provider(spec.service, f"OCR endpoint {spec.endpoint}") if spec.endpoint else ENDPOINT
    return Endpoint(
        bound.url,
        bound.key,
        Caller(provider, provider_actions, attempts),
        seconds=float(settings.PROVIDER_TIMEOUT_SECONDS),
        insecure=settings.ON_LAPTOP,
        name=spec.endpoint,
        asked=ask_for(spec),
    )


def settings_to_read(spec: OcrSpec, language: str = "en") -> RunSettings:
    """Of no project: what only the model says."""
    return RunSettings(language, "", spec.id, {}, (), 0.8, ocr=spec.to_json())


def find_endpoint(name: str) -> ModelEndpoint:
    """Its address is empty if the deployer has bound none."""
    if not name:
        return ModelEndpoint(settings.OCR_ENDPOINT_URL, settings.OCR_ENDPOINT_KEY)
    found: ModelEndpoint = settings.OCR_ENDPOINTS.get(name, ModelEndpoint(""))
    return found


@dataclass(frozen=True)
class ReadOnce:
    """A page that was read by itself. ``problem``: why it was not; empty if it was."""

    reading: PageReading
    used: Usage
    problem: str = ""


def read_page_once(pinned: RunSettings, image: Image.Image, index: int, *, scale: float = 1.0) -> ReadOnce:
    """As a run would with these settings, without its stages, and asked once: a person waits.

    ``scale``: as of ``read_locally``.
    """
    spec = pinned.ocr_spec
    began = time.monotonic()
    problem, pages = "", 1
    try:
        reading = _read(pinned, image, index, scale).without_unsure(spec.least_score)
    except (StageFailed, ProviderPaused) as error:
        reading, pages = PageReading(index), 0
        problem = error.reason if isinstance(error, ProviderPaused) else str(error)
    ms = round((time.monotonic() - began) * 1000)
    local = spec.service == LOCAL
    used = Usage(spec.service, spec.model, pages=pages, calls=0 if local else pages, ms=ms, micros=spec.price(pages))
    return ReadOnce(reading, used, problem)


def _read(pinned: RunSettings, image: Image.Image, index: int, scale: float) -> PageReading:
    """Raises: StageFailed, ProviderPaused."""
    spec = pinned.ocr_spec
    if spec.provider == TEXTRACT:
        caller = Caller(TEXTRACT_PROVIDER, provider_actions, 1)
        textract = Textract(aws.provider_client("textract"), caller, features=spec.features)
        return textract.read(paddleocr_processor.encode_png(image), index)
    if reader := make_page_reader(pinned, attempts=1):
        return reader.read(paddleocr_processor.encode_png(image), index, image.size)
    found: ocr.OcrReading = paddleocr_processor.read_locally(pinned, image, index, scale=scale)
    return PageReading(index, found.lines)


# Of seed 000's languages those that Transcribe writes otherwise than as <language>-<country> of the same letters.
_SPOKEN = {
    "en": "en-US", "ko": "ko-KR", "ja": "ja-JP", "zh": "zh-CN", "pt": "pt-BR", "sv": "sv-SE", "da": "da-DK",
    "no": "no-NO", "ar": "ar-SA", "hi": "hi-IN", "vi": "vi-VN", "ms": "ms-MY",
}  # fmt: skip


def make_services(
    run: Run, stage: Stage, pinned: RunSettings, document: DocumentWorkflow, *, step: int, attempt: int,
    heartbeat: Callable[[], None], note: Note = ignore_usage,
) -> Services:  # fmt: skip
    """Those of one stage; building them asks no one. ``note``: told of what is metered by the call.

    Raises: StageFailed if a choice is unknown.
    """
    token = jobs.job_token(run.site, run.workflow_id, step, attempt)
    match stage.name:
        case "paddleocr_processor":
            reader = _document_reader(run, pinned, document, token, heartbeat)
            return Services(page_reader=make_page_reader(pinned), document_reader=reader)
        case "segment_analyzer":
            return Services(analyst=_make_analyst(run, pinned, note, heartbeat))
        case "document_summarizer":
            return Services(writer=_make_writer(run, pinned, note, heartbeat))
        case "transcribe":
            return Services(transcriber=_make_transcriber(run, pinned, document, token))
        case "bda_processor":
            return Services(automation=_make_automation(run, pinned, document, token))
    return Services()


def make_caller(provider: Provider) -> Caller:
    return Caller(provider, provider_actions, settings.PROVIDER_ATTEMPTS)


def _document_reader(
    run: Run, pinned: RunSettings, document: DocumentWorkflow, token: str, heartbeat: Callable[[], None]
) -> DocumentReader | None:
    spec = pinned.ocr_spec
    if spec.provider != TEXTRACT_SERVICE.name:
        return None
    textract = Textract(aws.provider_client("textract"), make_caller(TEXTRACT_SERVICE), heartbeat, spec.features)
    return TextractReader(textract, _original(_files(run), document), token)


def _files(run: Run) -> DocumentFiles:
    return DocumentFiles(run.site, run.project_id, run.document_id)


def _original(store: DocumentFiles, document: DocumentWorkflow) -> S3File:
    key = store.root + store.name_of(document.data["file_uri"])
    return S3File(settings.BUCKET_NAME, key, document.s3version or "")


def _make_transcriber(run: Run, pinned: RunSettings, document: DocumentWorkflow, token: str) -> Transcriber | None:
    if pinned.transcriber != TRANSCRIBE.name:
        return None
    store = _files(run)
    spoken = _transcribe_language(pinned.language)
    service = Transcribe(aws.provider_client("transcribe"), make_caller(TRANSCRIBE))
    return TranscribeReader(service, store, _original(store, document), token, Languages("direct", (spoken,)))


def _transcribe_language(language: str) -> str:
    """Transcribe's code for it: with a country, the stored one's where it has one."""
    code, _, region = language_code(language).partition("-")
    if len(region) == 2:  # a country; Hant is a script
        return f"{code}-{region.upper()}"
    return _SPOKEN.get(code, f"{code}-{code.upper()}")


def _make_automation(run: Run, pinned: RunSettings, document: DocumentWorkflow, token: str) -> Automation | None:
    if not pinned.use_bda:
        return None
    store = _files(run)
    client = aws.provider_client("bedrock-data-automation-runtime")
    service = DataAutomation(client, make_caller(BDA), settings.BDA_PROJECT_ARN, settings.BDA_PROFILE_ARN)
    return AutomationReader(service, store, _original(store, document), token)


def _make_analyst(run: Run, pinned: RunSettings, note: Note, heartbeat: Callable[[], None]) -> Analyst | None:
    if pinned.analyzer == BY_MODEL:
        reads, classifies = (_make_model(run, pinned, use, note, heartbeat) for use in ("extract", "classify"))
        reads = replace(reads, examples=_pin_examples(run, reads.prompts))
        return reads if reads.chat.spec == classifies.chat.spec else TwoModels(reads, classifies)
    if pinned.analyzer != "rules":
        raise StageFailed(f"Unknown field extraction {pinned.analyzer}. Select another in the project settings.")
    return None


def _pin_examples(run: Run, book: PromptBook) -> str:
    """What the first worker of the run found: every page and attempt is asked with the same."""
    if not any(uses_placeholder(one.prompt, "examples") for one in book.list_all("extract")):
        return ""
    store, name = _files(run), files.examples(run.workflow_id)
    try:
        return store.read(name).decode()
    except NotFound:
        found = read_examples(run.site, run.project_id, but=run.document_id)
        store.write_new(name, found.encode(), "text/plain")
        return store.read(name).decode()


def _make_writer(run: Run, pinned: RunSettings, note: Note, heartbeat: Callable[[], None]) -> Writer | None:
    return _make_model(run, pinned, "summarize", note, heartbeat) if pinned.summarizer == BY_MODEL else None


def make_inquirer(run: Run, pinned: RunSettings, note: Note = ignore_usage) -> Inquirer:
    """Who answers what people ask about a page; for runs whose analysis is a model's."""
    return _make_model(run, pinned, "answer", note, lambda: None)


def _make_model(
    run: Run, pinned: RunSettings, purpose: str, note: Note, heartbeat: Callable[[], None]
) -> LanguageModel:
    """The one that this run pinned for the purpose."""
    found = pinned_prompts.load_models(run.site, pinned.prompts_sha256)
    return chats.make_model(
        found[purpose].spec,
        found.prompts,
        takeover=found[purpose].takeover,
        note=note,
        record=partial(model_calls.record_calls, run),
        heartbeat=heartbeat,
    )


@dataclass(frozen=True)
class TwoModels:
    """An Analyst where a project has types found by another model than fields."""

    reads: LanguageModel
    classifies: LanguageModel

    def classify(self, question: TypeQuestion) -> TypeReply:
        return self.classifies.classify(question)

    def read_page(self, question: PageQuestion) -> PageReply:
        return self.reads.read_page(question)


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
    """Transcribe on one recording: a Transcriber. What it leaves lies among the document's artifacts."""

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
    """Data Automation on one document: an Automation. Its outputs lie among the document's artifacts."""

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
