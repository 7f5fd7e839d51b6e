"""The API of a site's API keys: list and revoke them. A key itself is shown only on the page that creates it."""

from ninja import Router, Schema

from projects.sites import access, api_keys, queries
from projects.sites.items import ApiKey
from projects.web.api import FAILURES, ApiRequest

router = Router(tags=["keys"])


class KeyShape(Schema):
    """``mask``: the visible part, used to revoke it. ``used_at``: the hour of its last use."""

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
    """Keys of the site by name, without the keys themselves. Requires ADMIN."""
    access.check_can_configure(request)
    page = queries.list_keys(request.site, after)
    return KeyList(items=list(map(_shape, page.rows)), next=page.next)


@router.delete("/{mask}", response={200: KeyShape, **FAILURES}, operation_id="revoke_api_key", summary="Revoke a key")
def revoke_api_key(request: ApiRequest, mask: str) -> KeyShape:
    """Takes effect with the key's next request. Requires ADMIN."""
    access.check_can_configure(request)
    api_keys.revoke_api_key(request.site, mask, by=request.auth.actor, own=False)
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
