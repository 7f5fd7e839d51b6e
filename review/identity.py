"""Which review, and who acts on it."""

import hashlib
from dataclasses import dataclass
from functools import lru_cache

from django.conf import settings
from django.utils.crypto import salted_hmac

from config import table
from config.table import Key
from projects.queues.items import DEFAULT_QUEUE


def queue_id(stored: str | None) -> str:
    """The id of the queue behind a review's stored word; empty for the site's own queue."""
    return "" if stored in (None, DEFAULT_QUEUE) else str(stored)


HANDED_OVER = "desk-"  # how the ids of what other systems ask about begin; a document's own is a UUID

_CHECK = "check-"  # how the ids of second reviews begin; that of the first follows


def queue_to_store(queue: str) -> str:
    """How a review stores its queue's id: the inverse of ``queue_id``."""
    return queue or DEFAULT_QUEUE


_SEED_BODY, _SEED_MAC = 14, 12  # letters of a seeded check's id, together as many as every review's


def seed_id(text: str) -> str:
    """The id of a seeded check: like every other, but that the desk's secret makes its end of its beginning."""
    body = hashlib.sha256(text.encode()).hexdigest()[:_SEED_BODY]
    return body + _sign_seed(body, settings.SECRET_KEY)


def _sign_seed(body: str, secret: str) -> str:
    return salted_hmac("review.quality.seeds", body, secret=secret, algorithm="sha256").hexdigest()[:_SEED_MAC]


@lru_cache(maxsize=4096)
def _is_seed_id(review_id: str) -> bool:
    if len(review_id) != _SEED_BODY + _SEED_MAC:
        return False
    body = review_id[:_SEED_BODY]
    secrets = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    return any(review_id == body + _sign_seed(body, one) for one in secrets)


@dataclass(frozen=True)
class ReviewRef:
    site: str
    document_id: str
    review_id: str

    @property
    def is_handed_over(self) -> bool:
        """Whether another system asks and none of our runs waits for the answer."""
        return self.document_id.startswith(HANDED_OVER)

    @property
    def is_check(self) -> bool:
        """Whether a second person reviews what was decided: nothing of a run waits for it."""
        return self.review_id.startswith(_CHECK)

    @property
    def is_seed(self) -> bool:
        """Whether the true answers are known, and the decision is judged by them: nothing of a run waits for it."""
        return _is_seed_id(self.review_id)

    @property
    def is_compared(self) -> bool:
        """Whether what is decided is compared with something, and no run waits for it."""
        return self.is_check or self.is_seed

    @property
    def check(self) -> "ReviewRef":
        """The second review of this one."""
        return ReviewRef(self.site, self.document_id, f"{_CHECK}{self.review_id}")

    @property
    def checked(self) -> "ReviewRef":
        """The review that this one is the second of: the inverse of ``check``."""
        return ReviewRef(self.site, self.document_id, self.review_id.removeprefix(_CHECK))

    @property
    def path(self) -> str:
        """Both ids in one text, as a row names another review of its site: the inverse of ``ref_at``."""
        return f"{self.document_id}/{self.review_id}"

    @property
    def key(self) -> Key:
        return table.REVIEW.key(self.site, document_id=self.document_id, review_id=self.review_id)

    def draft_key(self, user_id: str) -> Key:
        return table.REVIEW_DRAFT.key(
            self.site, document_id=self.document_id, review_id=self.review_id, user_id=user_id
        )

    def decision_key(self, decision_id: str) -> Key:
        return table.REVIEW_DECISION.key(
            self.site, document_id=self.document_id, review_id=self.review_id, decision_id=decision_id
        )

    def message_key(self, message_id: str) -> Key:
        return table.REVIEW_MESSAGE.key(
            self.site, document_id=self.document_id, review_id=self.review_id, message_id=message_id
        )


def ref_at(site: str, path: str) -> ReviewRef:
    return ReviewRef(site, *path.split("/"))


@dataclass(frozen=True)
class Person:
    """Who acts: always the signed-in user, never a form's word."""

    id: str
    name: str


def review_id(workflow_id: str, step: int, result_sha256: str) -> str:
    """The same for the same question, so that a retry or a restarted run finds its review instead of making another."""
    return hashlib.sha256(f"{workflow_id}:{step}:{result_sha256}".encode()).hexdigest()[:26]


def checkpoint_key(ref: ReviewRef) -> Key:
    return table.REVIEW_CHECKPOINT.key(ref.site, document_id=ref.document_id)
