"""A share, stored twice: by its id, and by whom it admits."""

from enum import StrEnum

from pynamodb.attributes import ListAttribute, NumberAttribute, UnicodeAttribute

from config.item import Item


class PrincipalType(StrEnum):
    """Whom a share admits, stored as written."""

    USER = "user"
    GROUP = "group"
    LINK = "link"  # anyone with the link


class _Share(Item):
    """Attributes of both rows of a share."""

    documentId = UnicodeAttribute(null=True)  # noqa: N815 - the seed's names, as stored; absent only in index rows
    type = UnicodeAttribute(null=True)  # an EntryType: a file or a folder
    inserteddate = UnicodeAttribute(null=True)
    userId = UnicodeAttribute(null=True)  # noqa: N815 - who shared it
    user_name = UnicodeAttribute(null=True)  # who shared it
    path = UnicodeAttribute(null=True)  # at the time of sharing
    name = UnicodeAttribute(null=True)  # of the person or group, or of the link
    siteId = UnicodeAttribute(null=True)  # noqa: N815
    permissionType = UnicodeAttribute(null=True)  # noqa: N815 - a PrincipalType
    permissions: ListAttribute[str] = ListAttribute(null=True)


class Share(_Share):
    """Access granted by a share. Access: all of a person, a group or a link; all of a site, newest first (GSI1).

    ``documentId`` is the document's or the folder's. Only this row grants access: deleting it revokes the share.
    """

    share_id = UnicodeAttribute(null=True)


class DocumentShare(_Share):
    """A share by its id, which ``documentId`` is. Access: by id; by name (GSI1); of a document or a folder (GSI2).

    For links: ``secret`` is the SHA-256 of the secret in the URL, ``password`` a hash like those of accounts,
    ``openings`` the number of openings, of ``max_openings`` if limited.
    """

    sharedDocumentId = UnicodeAttribute(null=True)  # noqa: N815
    principal = UnicodeAttribute(null=True)  # a person's id, a group's name, or for links the share's own id
    secret = UnicodeAttribute(null=True)
    password = UnicodeAttribute(null=True)
    expires_at = UnicodeAttribute(null=True)
    openings = NumberAttribute(default=0)
    max_openings = NumberAttribute(null=True)
    opened_at = UnicodeAttribute(null=True)

    @property
    def share_id(self) -> str:
        return self.PK.rpartition("#")[2]

    @property
    def is_link(self) -> bool:
        return self.permissionType == PrincipalType.LINK
