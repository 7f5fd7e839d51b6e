"""Report of the steps that ran and were skipped, by kind of file, as lines of text."""

import itertools
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from workflows.definitions.blueprint import Definition
from workflows.operations.process_files import Job
from workflows.runs import queries, seed_000
from workflows.runs.items import StepStatus, WorkflowSteps

REFUSED = "refused"  # the kind of a refused file


@dataclass(frozen=True)
class Line:
    """One file. ``ran``: names of its steps; ``skipped``: name and reason; ``why``: of a failure or refusal."""

    file: str
    kind: str
    status: str
    ran: tuple[str, ...]
    skipped: tuple[tuple[str, str], ...]
    why: str = ""

    def plain(self) -> dict[str, Any]:
        return asdict(self) | {"skipped": dict(self.skipped)}


def line_of(job: Job) -> Line:
    """Return the line of a settled job."""
    if job.container:
        return Line(str(job.path), job.container.file_type, job.outcome or "running", (), (), job.error or "")
    if job.run is None:
        return Line(str(job.path), REFUSED, job.outcome or "", (), (), job.error or "")
    board = queries.board(job.run.site, job.run.workflow_id)
    link = queries.document_workflow(job.run.site, job.run.document_id, job.run.workflow_id)
    ran, skipped = steps_of(board, seed_000.definition_of(board))
    stored = board.data.as_dict()
    why = next((one["error"] for one in stored.values() if isinstance(one, dict) and one.get("error")), "")
    return Line(str(job.path), str(link.data["file_type"]), job.outcome or "running", ran, skipped, why)


def steps_of(board: WorkflowSteps, definition: Definition) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    """Return the steps that ran and those skipped with a reason; the review only if there was one."""
    stored = board.data.as_dict()
    status = {step.name: str((stored.get(step.name) or {}).get("status")) for step in definition.steps}
    idle = {StepStatus.PENDING.value, StepStatus.SKIPPED.value}
    ran = tuple(step.name for step in definition.steps if status[step.name] not in idle)
    skipped = tuple(
        (step.name, str((stored.get(step.name) or {}).get("reason") or step.left_out))
        for step in definition.steps
        if status[step.name] == StepStatus.SKIPPED
    )
    return ran, skipped


def report_table(lines: Iterable[Line]) -> str:
    """Group files of one kind by the steps that ran, with the reasons below."""
    found = sorted(lines, key=lambda line: (line.kind, line.ran, line.skipped, line.file))
    text: list[str] = []
    for (kind, ran, skipped), group in itertools.groupby(found, lambda line: (line.kind, line.ran, line.skipped)):
        files = list(group)
        text.append(f"{kind}  ({len(files)} file{'s' if len(files) > 1 else ''})")
        text += [f"    ran      {' → '.join(ran)}"] if ran else []
        text += [f"    skipped  {name}: {reason}" for name, reason in skipped]
        text += [f"    {line.status:9} {line.file}{f' · {line.why}' if line.why else ''}" for line in files]
        text.append("")
    return "\n".join(text)
