"""How a batch is shown: its mark, its numbers, and what may be done to it now."""

from collections.abc import Mapping
from dataclasses import dataclass

from workflows.batches.items import RETRIABLE, UNDER_WAY, Batch, BatchStatus
from workflows.runs.views.state_labels import Mark

_MARKS: Mapping[str, Mark] = {
    BatchStatus.READING: Mark("info", "list", "Reading manifest"),
    BatchStatus.CHECKING: Mark("info", "search", "Checking files"),
    BatchStatus.RUNNING: Mark("info", "run", "Running"),
    BatchStatus.FINISHED: Mark("good", "check", "Finished"),
    BatchStatus.STOPPED: Mark("bad", "alert", "Stopped: too many failures"),
    BatchStatus.CANCELLED: Mark("", "x", "Cancelled"),
    BatchStatus.REFUSED: Mark("bad", "stop", "Refused"),
}
_NUMBERS = (
    ("published", "good", "check", "published"),
    ("waiting", "warn", "user", "in review"),
    ("rejected", "", "x", "rejected"),
    ("unpacked", "", "folder", "unpacked"),
    ("failed", "bad", "alert", "failed"),
    ("bad", "bad", "stop", "invalid in the manifest"),
)


@dataclass(frozen=True)
class BatchRow:
    """A batch as pages show it."""

    batch: Batch

    @property
    def mark(self) -> Mark:
        return _MARKS[self.batch.status]

    @property
    def moving(self) -> bool:
        return self.batch.status in UNDER_WAY or bool(self.batch.at_work)

    @property
    def can_cancel(self) -> bool:
        return self.batch.status in UNDER_WAY

    @property
    def is_refused(self) -> bool:
        return self.batch.status == BatchStatus.REFUSED

    @property
    def can_retry(self) -> bool:
        return self.batch.status in RETRIABLE and int(self.batch.failed) > 0 and not self.batch.at_work

    @property
    def total(self) -> int:
        return int(self.batch.total)

    @property
    def skipped(self) -> int:
        return int(self.batch.skipped)

    @property
    def skipped_kinds(self) -> str:
        return ", ".join(sorted(self.batch.skipped_kinds or ()))

    @property
    def under_way(self) -> int:
        return len(self.batch.at_work)

    @property
    def left(self) -> int:
        return max(self.total - self.batch.done - self.under_way, 0)

    @property
    def numbers(self) -> list[tuple[str, str, int, str]]:
        """Tone, icon, number and words, without what is zero."""
        found = [(tone, icon, int(getattr(self.batch, name)), words) for name, tone, icon, words in _NUMBERS]
        return [one for one in found if one[2]]
