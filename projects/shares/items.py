"""A share, kept twice: by its id, and by whom it lets in."""

from enum import StrEnum

from pynamodb.attributes import ListAttribute, NumberAttribute, UnicodeAttribute

from config.item import Item


class PrincipalType(StrEnum):
    """Whom a share lets in; stored as written."""

    USER = "user"
    GROUP = "group"
    LINK = "link"  # whoever has it


class _Share(Item):
    """What both rows of a share keep."""

    documentId = UnicodeAttribute(null=True)  # noqa: N815 - the seed's names, as stored; absent only in index rows
    type = UnicodeAttribute(null=True)  # an EntryType: a file or a folder
    inserteddate = UnicodeAttribute(null=True)
    userId = UnicodeAttribute(null=True)  # noqa: N815 - who shared it
    path = UnicodeAttribute(null=True)  # as it was when it was shared
    name = UnicodeAttribute(null=True)  # with whom, or what the link is called
    siteId = UnicodeAttribute(null=True)  # noqa: N815
    permissionType = UnicodeAttribute(null=True)  # noqa: N815 - a PrincipalType
    permissions: ListAttribute[str] = ListAttribute(null=True)


class Share(_Share):
    """What someone is let into. Access: all of a person, a group or a link; all of a site, newest first (GSI1).

    ``documentId`` is the document's or the folder's. The row alone lets them in: gone, it does not.
    """

    share_id = UnicodeAttribute(null=True)


class DocumentShare(_Share):
    """A share by its id, which ``documentId`` is. Access: by id; by name (GSI1); of a document or a folder (GSI2).

    Of a link: ``secret`` is the SHA-256 of what its address has, ``password`` a hash as of accounts, ``openings`` how
    often it was opened, of ``max_openings`` if there is such a number.
    """

    sharedDocumentId = UnicodeAttribute(null=True)  # noqa: N815
    user_name = UnicodeAttribute(null=True)
    principal = UnicodeAttribute(null=True)  # the id of a person, the name of a group, the share's own id of a link
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
