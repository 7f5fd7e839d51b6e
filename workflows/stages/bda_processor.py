"""Stage bda_processor: Bedrock Data Automation, if a project chose it; there is no local replacement."""

from config.phrase import Sentence
from workflows.stages.base import Job, StageContext, StageResult, StartedJob
from workflows.stages.pages import paged
from workflows.stages.usage import Usage


def run(context: StageContext) -> StageResult:
    """The job's output was collected before."""
    service = context.services.automation
    if service is None:
        return StageResult("skipped", Sentence("Bedrock Data Automation is not enabled for this project."))
    pages = len(paged.BDA.open_pages(context.artifacts).indices)
    used = Usage(service.service, service.model, pages=pages, calls=1)
    return StageResult("completed", facts={"pages": pages, "model": service.model}, used=(used,))


def _begin(context: StageContext) -> StartedJob | None:
    service = context.services.automation
    return None if service is None else StartedJob(service.service, service.begin())


def _collect(context: StageContext, job: str) -> bool:
    service = context.services.automation
    if service is None:
        return True
    found = service.look(job)
    if found is None:
        return False
    entries = [{"page_index": index, "markdown": found.pages[index]} for index in sorted(found.pages)]
    paged.BDA.write(context.artifacts, entries)
    chapters = [vars(chapter) for chapter in found.chapters]
    paged.BDA.finish(context.artifacts, sorted(found.pages), {"summary": found.summary, "chapters": chapters})
    return True


JOB = Job(_begin, _collect)
