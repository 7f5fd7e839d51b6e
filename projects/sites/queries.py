"""Reads of sites, group permissions and API keys."""

from collections.abc import Iterable, Sequence

from django.utils.translation import gettext

from config.errors import NotFound
from config.item import Page, translate_store_errors
from config.phrase import Phrase
from config.table import API_KEY, DEFAULT_SITE, SITE, SITE_GROUP, InvalidKey, decode_part, encode_part
from projects.sites.items import ApiKey, Site, SiteGroup

ACTIVE, INACTIVE = "ACTIVE", "INACTIVE"
_NAMED = 200  # groups in a form


def default_site() -> Site:
    """Return the built-in default site; it has a row only once it is changed."""
    key = SITE.key(DEFAULT_SITE, site_id=DEFAULT_SITE)
    return Site(
        *key, siteId=DEFAULT_SITE, title=Phrase("Main site"), name=Phrase("Main site"), status=ACTIVE, version=0
    )


def get_site(site_id: str) -> Site:
    """Strongly consistent; active or not.

    Raises:
        NotFound: no such site.

    """
    try:
        return Site.load(SITE.key(DEFAULT_SITE, site_id=site_id))
    except (NotFound, InvalidKey) as error:
        if site_id == DEFAULT_SITE:
            return default_site()
        raise NotFound(gettext("Site not found.")) from error


def get_sites(site_ids: Iterable[str]) -> Sequence[Site]:
    """Read up to 100 sites in one strongly consistent call; missing ones are omitted; unordered."""
    keys = [SITE.key(DEFAULT_SITE, site_id=one) for one in site_ids]
    found = Site.load_many(keys)
    default = SITE.key(DEFAULT_SITE, site_id=DEFAULT_SITE)
    return [default_site(), *found] if default in keys and all(one.key != default for one in found) else found


def list_sites(cursor: str | None = None) -> Page[Site]:
    """List all sites by id, strongly consistent: one Query."""
    pk = SITE.partition_key(DEFAULT_SITE)
    return Site.page(pk, sk=Site.SK.startswith(SITE.sort_prefix()), cursor=cursor, consistent=True)


def active_sites(limit: int) -> Page[Site]:
    """List the first ``limit`` open sites: one Query."""
    pk = SITE.gsi1_partition(DEFAULT_SITE)
    return Site.page(pk, sk=Site.GSI1SK.startswith(SITE.gsi1_prefix(status=ACTIVE)), index="GSI1", limit=limit)


def sites_of_group(group: str) -> Sequence[SiteGroup]:
    """List all permissions of a group by site, strongly consistent: one Query a megabyte."""
    pk = SITE_GROUP.partition_key(DEFAULT_SITE)
    prefix = SiteGroup.SK.startswith(SITE_GROUP.sort_prefix(group_name=group))
    with translate_store_errors():
        return list(SiteGroup.query(pk, prefix, consistent_read=True))


def groups_of_site(site: str, cursor: str | None = None) -> Page[SiteGroup]:
    """List the groups' permissions on a site, by name: one Query, and one BatchGetItem as the index lacks them.

    Raises:
        NotFound: the cursor belongs to another list.

    """
    pk = SITE_GROUP.gsi1_partition(DEFAULT_SITE)
    prefix = SiteGroup.GSI1SK.startswith(SITE_GROUP.gsi1_prefix(site_id=site))
    page = SiteGroup.page(pk, sk=prefix, index="GSI1", cursor=cursor)
    found = {row.key: row for row in SiteGroup.load_many([row.key for row in page.rows])}
    return Page([found[row.key] for row in page.rows if row.key in found], page.next)


def group_names(site: str) -> Sequence[str]:
    """List the groups with permissions on a site, by name: one Query."""
    prefix = SiteGroup.GSI1SK.startswith(SITE_GROUP.gsi1_prefix(site_id=site))
    page = SiteGroup.page(SITE_GROUP.gsi1_partition(DEFAULT_SITE), sk=prefix, index="GSI1", limit=_NAMED)
    return [decode_part(row.SK.split("#")[1]) for row in page.rows]


def get_groups(site: str, groups: Iterable[str]) -> dict[str, SiteGroup]:
    """Return the rows of these groups on the site by name, strongly consistent; missing ones are omitted."""
    keys = [SITE_GROUP.key(DEFAULT_SITE, site_id=site, group_name=one) for one in groups]
    return {str(one.groupName): one for one in SiteGroup.load_many(keys)}


KEY_ACTIVE, REVOKED = "ACTIVE", "REVOKED"


def name_of_token(user_id: str, name: str) -> str:
    """Return the index name of a personal token: sorted by person, after the keys of programs."""
    return f"~{user_id}~{name}"


def list_keys(site: str, cursor: str | None = None) -> Page[ApiKey]:
    """List a site's keys by name: one Query, and one BatchGetItem as the index lacks permissions."""
    return _whole(ApiKey.page(API_KEY.gsi1_partition(DEFAULT_SITE, site_id=site), index="GSI1", cursor=cursor))


def list_tokens(site: str, user_id: str, cursor: str | None = None) -> Page[ApiKey]:
    """List a person's own tokens by name, with the same calls."""
    head = f"{API_KEY.gsi1_prefix()}{encode_part(name_of_token(user_id, ''))}"
    mine = ApiKey.GSI1SK.startswith(head)
    return _whole(ApiKey.page(API_KEY.gsi1_partition(DEFAULT_SITE, site_id=site), sk=mine, index="GSI1", cursor=cursor))


def _whole(page: Page[ApiKey]) -> Page[ApiKey]:
    found = {row.key: row for row in ApiKey.load_many([row.key for row in page.rows])}
    return Page([found[row.key] for row in page.rows if row.key in found], page.next)


def by_hash(sha256: str) -> ApiKey:
    """Strongly consistent, so that revoking takes effect at once. Raises: NotFound."""
    return ApiKey.load(API_KEY.key(DEFAULT_SITE, api_key=sha256))


def by_mask(site: str, mask: str) -> ApiKey:
    """Raises: NotFound, also for a key of another site."""
    try:
        index = API_KEY.gsi2(DEFAULT_SITE, site_id=site, mask=mask)
    except InvalidKey as error:
        raise NotFound(gettext("API key not found.")) from error
    rows = ApiKey.page(index["GSI2PK"], sk=index["GSI2SK"] == ApiKey.GSI2SK, index="GSI2", limit=1).rows
    if not rows:
        raise NotFound(gettext("API key not found."))
    return ApiKey.load(rows[0].key)
