"""Items of comments, of reasons to skip, and of questions and escalations with their answers."""

from enum import StrEnum

from pynamodb.attributes import UnicodeAttribute, UnicodeSetAttribute

from config.item import Item


class MessageKind(StrEnum):
    """Stored as written."""

    COMMENT = "comment"
    QUESTION = "question"
    ESCALATION = "escalation"  # a question to the escalation group, which may take over
    SKIP = "skip"  # why a person gave the review to others


class QuestionEnd(StrEnum):
    """How a question ended. Stored as written."""

    ANSWERED = "answered"
    UNANSWERED = "unanswered"  # at its time
    WITHDRAWN = "withdrawn"  # the asker goes on without an answer
    TAKEN_OVER = "taken_over"  # a person asked took the review over


class ReviewMessage(Item):
    """Access: by review, oldest first. ``to_ids``: people asked or mentioned; ``about``: a field's label."""

    kind = UnicodeAttribute()
    text = UnicodeAttribute()
    by_id = UnicodeAttribute()
    by_name = UnicodeAttribute()
    to_ids = UnicodeSetAttribute(null=True)
    to_name = UnicodeAttribute(null=True)
    about = UnicodeAttribute(null=True)
    at = UnicodeAttribute()
    answer = UnicodeAttribute(null=True)
    answered_by = UnicodeAttribute(null=True)  # a name; of a question taken over, of the person who took it
    answered_at = UnicodeAttribute(null=True)
    ended = UnicodeAttribute(null=True)  # a QuestionEnd

    @property
    def message_id(self) -> str:
        return str(self.SK).rpartition("#")[2]
