"""Sampling of decided reviews for a second review."""

from django.utils.crypto import salted_hmac

_SALT = "review.quality.sampling"


def is_sampled(review_id: str, share: float) -> bool:
    """Return whether a review is in the sampled ``share`` (0–1); deterministic.

    Keyed with the desk's secret, so that reviewers cannot predict which decisions are checked.
    """
    place = int.from_bytes(salted_hmac(_SALT, review_id, algorithm="sha256").digest()[:8], "big")
    return place < share * 2**64
