"""A comment on a review, or a question about it with its answer."""

from enum import StrEnum

from pynamodb.attributes import UnicodeAttribute, UnicodeSetAttribute

from config.item import Item


class MessageKind(StrEnum):
    """Stored as written."""

    COMMENT = "comment"
    QUESTION = "question"


class QuestionEnd(StrEnum):
    """How a question ended. Stored as written."""

    ANSWERED = "answered"
    UNANSWERED = "unanswered"  # at its time
    WITHDRAWN = "withdrawn"  # who asked goes on without an answer
    TAKEN_OVER = "taken_over"  # who was asked decides it


class ReviewMessage(Item):
    """Access: by review, the oldest first. ``to_ids``: who is asked or mentioned; ``about``: a field's label."""

    kind = UnicodeAttribute()
    text = UnicodeAttribute()
    by_id = UnicodeAttribute()
    by_name = UnicodeAttribute()
    to_ids = UnicodeSetAttribute(null=True)
    to_name = UnicodeAttribute(null=True)
    about = UnicodeAttribute(null=True)
    at = UnicodeAttribute()
    answer = UnicodeAttribute(null=True)
    answered_by = UnicodeAttribute(null=True)  # a name; of a question that was taken over, who took it
    answered_at = UnicodeAttribute(null=True)
    ended = UnicodeAttribute(null=True)  # a QuestionEnd

    @property
    def message_id(self) -> str:
        return str(self.SK).rpartition("#")[2]
