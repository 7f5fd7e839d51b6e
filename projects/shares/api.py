"""The API of shares: list shares, share with people, groups or by link, and revoke."""

from typing import Any

from ninja import Field, Router, Schema, Status

from config.errors import Refused
from projects.folders.items import EntryType
from projects.queues import visibility
from projects.shares import actions, queries
from projects.shares.actions import LONGEST_NAME, MOST_DAYS, MOST_OPENINGS, LinkDraft, Target
from projects.shares.items import DocumentShare, PrincipalType
from projects.shares.views import check_share, describe_shares, find_principal
from projects.sites import access
from projects.web.api import FAILURES, REFUSALS, ApiRequest, Body, with_example
from projects.web.links import page_url

router = Router(tags=["shares"])
_TYPES = {EntryType.FILE: "document", EntryType.FOLDER: "folder"}


class ShareShape(Schema):
    """``shared_id``: of the document or folder. ``openings`` and ``expires_at``: of links."""

    id: str
    type: str = Field(json_schema_extra={"enum": ["document", "folder"]})
    shared_id: str
    path: str
    shared_with: str = Field(json_schema_extra={"enum": ["user", "group", "link"]})
    name: str
    shared_by: str
    created_at: str
    expires_at: str | None
    openings: int | None
    max_openings: int | None
    has_password: bool


class ShareList(Schema):
    items: list[ShareShape]
    next: str | None


class NewShare(ShareShape):
    """``url``: of a link, returned only once."""

    url: str | None


class LinkWish(Body):
    """``days`` until it expires; ``max_openings`` 0 for any number; ``password`` empty for none."""

    model_config = with_example(name="Auditors", days=7)

    name: str = Field(min_length=1, max_length=LONGEST_NAME)
    days: int = Field(7, ge=1, le=MOST_DAYS, strict=True)
    max_openings: int = Field(0, ge=0, le=MOST_OPENINGS, strict=True)
    password: str = ""


class ShareWish(Body):
    """One of the three: a person of the site, a group, or a link."""

    model_config = with_example(link={"name": "Auditors", "days": 7})

    user_id: str = ""
    group: str = ""
    link: LinkWish | None = None


@router.get("/shares", response={200: ShareList, **FAILURES}, operation_id="list_shares", summary="List shares")
def list_shares(request: ApiRequest, after: str | None = None) -> ShareList:
    """Shares of the site that the key may see, newest first. Requires READ."""
    access.check_can_view(request)
    page = queries.list_shares(request.site, cursor=after)
    return ShareList(items=_shapes(request, page.rows), next=page.next)


def _shapes(request: ApiRequest, rows: Any) -> list[ShareShape]:
    found = describe_shares(request, rows)
    return [ShareShape(**_shape(one.share, one.path)) for one in found if isinstance(one.share, DocumentShare)]


def _shape(share: DocumentShare, path: str) -> dict[str, Any]:
    return {
        "id": share.share_id,
        "type": _TYPES[EntryType(str(share.type))],
        "shared_id": share.sharedDocumentId,
        "path": path,
        "shared_with": share.permissionType,
        "name": share.name,
        "shared_by": share.user_name,
        "created_at": share.inserteddate,
        "expires_at": share.expires_at,
        "openings": int(share.openings) if share.is_link else None,
        "max_openings": int(share.max_openings) if share.max_openings is not None else None,
        "has_password": bool(share.password),
    }


@router.get(
    "/documents/{document_id}/shares",
    response={200: ShareList, **FAILURES},
    operation_id="list_document_shares",
    summary="List shares of a document",
)
def list_document_shares(request: ApiRequest, document_id: str) -> ShareList:
    """Requires READ."""
    access.check_can_view(request)
    visibility.check_document(request, document_id)
    actions.find_target(request.site, EntryType.FILE, document_id)
    return ShareList(items=_shapes(request, queries.list_shares_of(request.site, document_id)), next=None)


@router.post(
    "/documents/{document_id}/shares",
    response={201: NewShare, **REFUSALS},
    operation_id="share_document",
    summary="Share a document",
)
def share_document(request: ApiRequest, document_id: str, wish: ShareWish) -> Any:
    """Shares it with a person, a group or by link. 409 if it is shared with them already. Requires READ and WRITE."""
    access.check_can_upload(request)
    visibility.check_document(request, document_id)
    return _share(request, actions.find_target(request.site, EntryType.FILE, document_id), wish)


@router.post(
    "/folders/{folder_id}/shares",
    response={201: NewShare, **REFUSALS},
    operation_id="share_folder",
    summary="Share a folder",
)
def share_folder(request: ApiRequest, folder_id: str, wish: ShareWish) -> Any:
    """Shares all documents in the folder. Requires READ and WRITE."""
    access.check_can_upload(request)
    visibility.check_folder(request, folder_id)
    return _share(request, actions.find_target(request.site, EntryType.FOLDER, folder_id), wish)


def _share(request: ApiRequest, target: Target, wish: ShareWish) -> Any:
    """Raises: Refused, Conflict, NotFound."""
    by = request.auth.actor
    if sum(map(bool, (wish.user_id, wish.group, wish.link))) != 1:
        raise Refused("Send one of user_id, group and link.")
    if wish.link is not None:
        link = wish.link
        draft = LinkDraft(link.name, link.days, link.max_openings, link.password)
        made = actions.create_link(request.site, target, draft, by=by)
        url = page_url(request.site, "links:open-link", made.share.share_id, made.secret)
        return Status(201, NewShare(**_shape(made.share, target.path), url=url))
    kind = PrincipalType.USER if wish.user_id else PrincipalType.GROUP
    principal, name = find_principal(request, f"{kind}:{wish.user_id or wish.group}")
    share = actions.share_with(request.site, target, principal, name, by=by)
    return Status(201, NewShare(**_shape(share, target.path), url=None))


@router.delete(
    "/shares/{share_id}", response={204: None, **REFUSALS}, operation_id="revoke_share", summary="Revoke a share"
)
def revoke_share(request: ApiRequest, share_id: str) -> Status[None]:
    """Takes effect at once, also for pages that are open. Requires READ and WRITE."""
    access.check_can_upload(request)
    check_share(request, share_id)
    actions.revoke_share(request.site, share_id, by=request.auth.actor)
    return Status(204, None)
