"""Reads of questions: those of a page in one Query."""

from collections.abc import Sequence
from dataclasses import dataclass

from config import table
from config.errors import NotFound
from config.table import Key
from workflows.questions.items import Question
from workflows.runs.items import Run

MOST = 50  # that one page is asked; deleted ones count, since their numbers are not given again


@dataclass(frozen=True)
class QuestionRef:
    """Which question about which page (0-based) of which run."""

    run: Run
    segment: int
    number: int

    @property
    def key(self) -> Key:
        workflow_id = self.run.workflow_id
        return table.QUESTION.key(
            self.run.site, workflow_id=workflow_id, segment_index=self.segment, qa_index=self.number
        )


def ref_of(site: str, row: Question) -> QuestionRef:
    """Of one that is due."""
    run = Run(site, str(row.project_id), str(row.document_id), str(row.workflow_id))
    return QuestionRef(run, int(row.segment_index), int(row.qa_index))


def of_page(run: Run, segment: int) -> Sequence[Question]:
    """All of a page in the order of their numbers, deleted ones too: one strongly consistent Query."""
    pk = table.QUESTION.partition_key(run.site, workflow_id=run.workflow_id)
    prefix = table.QUESTION.sort_prefix(segment_index=segment)
    return Question.page(pk, sk=Question.SK.startswith(prefix), limit=MOST * 2, consistent=True).rows


def get_question(ref: QuestionRef) -> Question:
    """Raises: NotFound."""
    try:
        return Question.load(ref.key)
    except NotFound as error:
        raise NotFound("Question not found.") from error
