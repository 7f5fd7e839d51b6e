"""References to reviews, and the acting person."""

import hashlib
from dataclasses import dataclass
from functools import lru_cache

from django.conf import settings
from django.utils.crypto import salted_hmac

from config import table
from config.table import Key
from projects.documents.items import HANDED_OVER
from projects.queues.items import DEFAULT_QUEUE


def queue_id(stored: str | None) -> str:
    """Return the queue id from its stored form; empty for the site's own queue."""
    return "" if stored in (None, DEFAULT_QUEUE) else str(stored)


_CHECK = "check-"  # prefix of a second review's id, before the first review's id


def queue_to_store(queue: str) -> str:
    """Return the stored form of a queue id; the inverse of ``queue_id``."""
    return queue or DEFAULT_QUEUE


_SEED_BODY, _SEED_MAC = 14, 12  # letters of a seeded check's id; in sum as many as in any review's


def seed_id(text: str) -> str:
    """Return the id of a seeded check: like any other, but its end is derived from its beginning by a secret."""
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
        """Whether another system asks, so that no run of ours waits."""
        return self.document_id.startswith(HANDED_OVER)

    @property
    def is_check(self) -> bool:
        """Whether it is a second review; no run waits for it."""
        return self.review_id.startswith(_CHECK)

    @property
    def is_seed(self) -> bool:
        """Whether it is a seeded check with known answers; no run waits for it."""
        return _is_seed_id(self.review_id)

    @property
    def is_compared(self) -> bool:
        """Whether the decision is only compared, as in second reviews and seeded checks."""
        return self.is_check or self.is_seed

    @property
    def check(self) -> "ReviewRef":
        """Reference of this review's second review."""
        return ReviewRef(self.site, self.document_id, f"{_CHECK}{self.review_id}")

    @property
    def checked(self) -> "ReviewRef":
        """Reference of the first review; the inverse of ``check``."""
        return ReviewRef(self.site, self.document_id, self.review_id.removeprefix(_CHECK))

    @property
    def path(self) -> str:
        """Both ids as one text, for references within a site; the inverse of ``ref_at``."""
        return f"{self.document_id}/{self.review_id}"

    @property
    def key(self) -> Key:
        return table.REVIEW.key(self.site, document_id=self.document_id, review_id=self.review_id)

    def draft_key(self, user_id: str) -> Key:
        return table.REVIEW_DRAFT.key(
            self.site, document_id=self.document_id, review_id=self.review_id, user_id=user_id
        )

    @property
    def result_key(self) -> Key:
        return table.REVIEW_RESULT.key(self.site, document_id=self.document_id, review_id=self.review_id)

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
    """The acting person: always the signed-in user, never taken from a form."""

    id: str
    name: str


def review_id(workflow_id: str, step: int, result_sha256: str) -> str:
    """Return a deterministic id, so that a retry or restarted run finds its review instead of opening another."""
    return hashlib.sha256(f"{workflow_id}:{step}:{result_sha256}".encode()).hexdigest()[:26]


def checkpoint_key(ref: ReviewRef) -> Key:
    return table.REVIEW_CHECKPOINT.key(ref.site, document_id=ref.document_id)
