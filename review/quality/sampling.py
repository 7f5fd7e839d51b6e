"""Which decided reviews a second person reviews too."""

from django.utils.crypto import salted_hmac

_SALT = "review.quality.sampling"


def is_sampled(review_id: str, share: float) -> bool:
    """Whether a review is among the ``share`` (0–1) that is reviewed twice: the same at each asking.

    With the desk's own secret: whoever decides must not be able to work out which decisions are looked at.
    """
    place = int.from_bytes(salted_hmac(_SALT, review_id, algorithm="sha256").digest()[:8], "big")
    return place < share * 2**64
