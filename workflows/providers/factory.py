"""Construction of the external services that a run's frozen settings choose for a stage."""

from collections.abc import Callable

from workflows.providers import jobs
from workflows.providers.document_readers import make_automation, make_document_reader, make_transcriber
from workflows.providers.language_models.pinned_models import make_analyst, make_writer
from workflows.providers.page_readers import make_page_reader
from workflows.runs.items import DocumentWorkflow, Run
from workflows.stages.base import RunSettings, Stage
from workflows.stages.services import Services
from workflows.stages.usage import Note, ignore_usage


def make_services(
    run: Run, stage: Stage, pinned: RunSettings, document: DocumentWorkflow, *, step: int, attempt: int,
    heartbeat: Callable[[], None], note: Note = ignore_usage,
) -> Services:  # fmt: skip
    """Build the services of one stage, without calling them. ``note``: receives metered usage.

    Raises: StageFailed if a choice is unknown.
    """
    token = jobs.job_token(run.site, run.workflow_id, step, attempt)
    match stage.name:
        case "paddleocr_processor":
            reader = make_document_reader(run, pinned, document, token, heartbeat)
            return Services(page_reader=make_page_reader(pinned), document_reader=reader)
        case "segment_analyzer":
            return Services(analyst=make_analyst(run, pinned, note, heartbeat))
        case "document_summarizer":
            return Services(writer=make_writer(run, pinned, note, heartbeat))
        case "transcribe":
            return Services(transcriber=make_transcriber(run, pinned, document, token))
        case "bda_processor":
            return Services(automation=make_automation(run, pinned, document, token))
    return Services()
