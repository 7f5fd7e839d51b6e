"""Reads of questions: those of a page in one Query."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext

from config import table
from config.errors import NotFound
from config.table import Key
from workflows.questions.items import Question
from workflows.runs.items import Run

MOST = 50  # questions of a page; deleted ones count, since numbers are not reused


@dataclass(frozen=True)
class QuestionRef:
    """The ids of a question: run, page (0-based) and number."""

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
    """Return the ids of a due row."""
    run = Run(site, str(row.project_id), str(row.document_id), str(row.workflow_id))
    return QuestionRef(run, int(row.segment_index), int(row.qa_index))


def of_page(run: Run, segment: int) -> Sequence[Question]:
    """List the questions of a page by number, including deleted ones: one strongly consistent Query."""
    pk = table.QUESTION.partition_key(run.site, workflow_id=run.workflow_id)
    prefix = table.QUESTION.sort_prefix(segment_index=segment)
    return Question.page(pk, sk=Question.SK.startswith(prefix), limit=MOST * 2, consistent=True).rows


def get_question(ref: QuestionRef) -> Question:
    """Raises: NotFound."""
    try:
        return Question.load(ref.key)
    except NotFound as error:
        raise NotFound(gettext("Question not found.")) from error
