"""What a person is told by mail, and each thing that is to be told."""

from enum import StrEnum

from pynamodb.attributes import NumberAttribute, UnicodeAttribute, UnicodeSetAttribute

from config import table
from config.due.items import DueWork
from config.item import Item


class Kind(StrEnum):
    """Stored as written."""

    ASSIGNED = "assigned"
    ASKED = "asked"
    ANSWERED = "answered"
    MENTIONED = "mentioned"
    DEADLINE = "deadline"
    EXPORT = "export"
    DIGEST = "digest"


# Of a person who never chose: what another person did, and nothing that comes by itself.
DEFAULTS = frozenset({Kind.ASSIGNED, Kind.ASKED, Kind.ANSWERED, Kind.MENTIONED})
WEB_KINDS = tuple(one for one in Kind if one != Kind.DIGEST)  # what the list in the page may show


CHAT = "chat"  # stands for a person's id in what a chat tool is told
CHAT_KINDS = tuple(one for one in Kind if one not in {Kind.DIGEST, Kind.EXPORT})


class NotificationStatus(StrEnum):
    """Stored as written."""

    OPEN = "open"
    SENT = "sent"
    DROPPED = "dropped"  # not chosen, no address, nothing to see any more, or refused by the mail server


class NotificationChoice(DueWork):
    """What one person chose on one site. Access: by person; due (GSI2) once a day, if they want a digest."""

    due_entity = table.NOTIFICATION_CHOICE
    user_id = UnicodeAttribute()
    kinds = UnicodeSetAttribute(null=True)  # none: nothing
    web_off = UnicodeSetAttribute(null=True)  # kinds that the list in the page leaves out
    updated_at = UnicodeAttribute()


class ChatWebhook(Item):
    """Where a site's chat tool takes messages. Access: by its key."""

    url = UnicodeAttribute()
    kinds = UnicodeSetAttribute(null=True)
    updated_at = UnicodeAttribute()


class Notification(DueWork):
    """One thing to tell one person. It names no document: that is read when it is sent, if they may still see it.

    Access: by person, the newest first; due (GSI2, until its mail is sent or dropped).
    """

    due_entity = table.NOTIFICATION
    user_id = UnicodeAttribute()
    notification_id = UnicodeAttribute()
    kind = UnicodeAttribute()
    event_id = UnicodeAttribute(null=True)  # the same for all who are told of one thing
    by_name = UnicodeAttribute(null=True)
    document_id = UnicodeAttribute(null=True)
    review_id = UnicodeAttribute(null=True)
    project_id = UnicodeAttribute(null=True)  # of an export
    read_at = UnicodeAttribute(null=True)  # in the page, by the person
    status = UnicodeAttribute()
    due_at = UnicodeAttribute()
    tries = NumberAttribute(default=0)
    created_at = UnicodeAttribute()


class InboxRow(Item):
    """A row of a person's partition between the first notification and their choice: either of the two."""

    notification_id = UnicodeAttribute(null=True)
    kind = UnicodeAttribute(null=True)
    by_name = UnicodeAttribute(null=True)
    document_id = UnicodeAttribute(null=True)
    review_id = UnicodeAttribute(null=True)
    project_id = UnicodeAttribute(null=True)
    read_at = UnicodeAttribute(null=True)
    created_at = UnicodeAttribute(null=True)
    web_off = UnicodeSetAttribute(null=True)
