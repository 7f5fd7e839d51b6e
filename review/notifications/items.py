"""Items of notification preferences and of notifications."""

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
    ACCESS = "access"  # asked for, of an admin
    ADMITTED = "admitted"
    PAUSED = "paused"  # a calibration, by the audit sample; of those who can activate another
    DIGEST = "digest"


# Default: acts of other people and alarms, no periodic mail.
DEFAULTS = frozenset(
    {Kind.ASSIGNED, Kind.ASKED, Kind.ANSWERED, Kind.MENTIONED, Kind.ACCESS, Kind.ADMITTED, Kind.PAUSED}
)
WEB_KINDS = tuple(one for one in Kind if one != Kind.DIGEST)  # kinds that the inbox can show


CHAT = "chat"  # takes the place of a person's id in chat messages
CHAT_KINDS = (Kind.ASSIGNED, Kind.ASKED, Kind.ANSWERED, Kind.MENTIONED, Kind.DEADLINE)


class NotificationStatus(StrEnum):
    """Stored as written."""

    OPEN = "open"
    SENT = "sent"
    DROPPED = "dropped"  # not chosen, no address, subject gone, or refused by the mail server


class NotificationChoice(DueWork):
    """One person's preferences on one site. Access: by person; due (GSI2) once a day if they want a digest."""

    due_entity = table.NOTIFICATION_CHOICE
    user_id = UnicodeAttribute()
    kinds = UnicodeSetAttribute(null=True)  # none: nothing
    web_off = UnicodeSetAttribute(null=True)  # kinds hidden from the inbox
    updated_at = UnicodeAttribute()


class ChatWebhook(Item):
    """The incoming webhook of a site's chat tool. Access: by its key."""

    url = UnicodeAttribute()
    kinds = UnicodeSetAttribute(null=True)
    updated_at = UnicodeAttribute()


class Notification(DueWork):
    """One notification to one person. The document's name is read on sending, if they may still see it.

    Access: by person, the newest first; due (GSI2, until its mail is sent or dropped).
    """

    due_entity = table.NOTIFICATION
    user_id = UnicodeAttribute()
    notification_id = UnicodeAttribute()
    kind = UnicodeAttribute()
    event_id = UnicodeAttribute(null=True)  # the same in all notifications of one event
    by_name = UnicodeAttribute(null=True)
    document_id = UnicodeAttribute(null=True)
    review_id = UnicodeAttribute(null=True)
    project_id = UnicodeAttribute(null=True)  # of an export or a calibration
    read_at = UnicodeAttribute(null=True)  # in the inbox, by the person
    status = UnicodeAttribute()
    due_at = UnicodeAttribute()
    tries = NumberAttribute(default=0)
    created_at = UnicodeAttribute()


class InboxRow(Item):
    """A row of a person's partition: a notification, or the person's preferences."""

    notification_id = UnicodeAttribute(null=True)
    kind = UnicodeAttribute(null=True)
    by_name = UnicodeAttribute(null=True)
    document_id = UnicodeAttribute(null=True)
    review_id = UnicodeAttribute(null=True)
    project_id = UnicodeAttribute(null=True)
    read_at = UnicodeAttribute(null=True)
    created_at = UnicodeAttribute(null=True)
    web_off = UnicodeSetAttribute(null=True)
