"""The API of a site's API keys: which there are, and revoking one. A key itself is shown on the page that makes it."""

from ninja import Router, Schema

from projects.sites import access, actions, queries
from projects.sites.items import ApiKey
from projects.web.api import FAILURES, ApiRequest

router = Router(tags=["keys"])


class KeyShape(Schema):
    """``mask``: what people see of it, by which it is revoked. ``used_at``: the hour of its last use."""

    mask: str
    name: str
    status: str
    permissions: list[str]
    created_by: str
    created_at: str
    used_at: str | None
    expires_at: str | None


class KeyList(Schema):
    items: list[KeyShape]
    next: str | None


@router.get("", response={200: KeyList, **FAILURES}, operation_id="list_api_keys", summary="List API keys")
def list_api_keys(request: ApiRequest, after: str | None = None) -> KeyList:
    """Of the site, by name; without the key itself. Requires ADMIN."""
    access.check_can_configure(request)
    page = queries.list_keys(request.site, after)
    return KeyList(items=list(map(_shape, page.rows)), next=page.next)


@router.delete("/{mask}", response={200: KeyShape, **FAILURES}, operation_id="revoke_api_key", summary="Revoke a key")
def revoke_api_key(request: ApiRequest, mask: str) -> KeyShape:
    """Its requests are rejected from now on. Requires ADMIN."""
    access.check_can_configure(request)
    actions.revoke_api_key(request.site, mask, by=request.auth.actor, own=False)
    return _shape(queries.by_mask(request.site, mask))


def _shape(key: ApiKey) -> KeyShape:
    return KeyShape(
        mask=str(key.mask),
        name=key.name,
        status=key.status,
        permissions=list(key.permissions or ()),
        created_by=str(key.user_name or ""),
        created_at=str(key.inserteddate or ""),
        used_at=key.used_at,
        expires_at=key.expires_at,
    )
