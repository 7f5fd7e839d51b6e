"""Reads of API keys."""

from config.errors import NotFound
from config.item import Page
from config.table import API_KEY, DEFAULT_SITE, InvalidKey
from projects.sites.items import ApiKey

ACTIVE, REVOKED = "ACTIVE", "REVOKED"


def list_keys(site: str, cursor: str | None = None) -> Page[ApiKey]:
    """A site's keys by name: one Query, and one BatchGetItem since the index carries no permissions."""
    page = ApiKey.page(API_KEY.gsi1_partition(DEFAULT_SITE, site_id=site), index="GSI1", cursor=cursor)
    found = {row.key: row for row in ApiKey.load_many([row.key for row in page.rows])}
    return Page([found[row.key] for row in page.rows if row.key in found], page.next)


def by_hash(sha256: str) -> ApiKey:
    """Strongly consistent, so that a revoked key ends with its revocation. Raises: NotFound."""
    return ApiKey.load(API_KEY.key(DEFAULT_SITE, api_key=sha256))


def by_mask(site: str, mask: str) -> ApiKey:
    """Raises: NotFound, also for a key of another site."""
    try:
        index = API_KEY.gsi2(DEFAULT_SITE, site_id=site, mask=mask)
    except InvalidKey as error:
        raise NotFound("API key not found.") from error
    rows = ApiKey.page(index["GSI2PK"], sk=index["GSI2SK"] == ApiKey.GSI2SK, index="GSI2", limit=1).rows
    if not rows:
        raise NotFound("API key not found.")
    return ApiKey.load(rows[0].key)
