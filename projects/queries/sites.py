"""Reads of sites and of what groups may do there."""

from collections.abc import Iterable, Sequence

from config.errors import NotFound
from config.item import Page, translated
from config.table import DEFAULT_SITE, SITE, SITE_GROUP, InvalidKey
from projects.items.sites import Site, SiteGroup

ACTIVE, INACTIVE = "ACTIVE", "INACTIVE"


def default_site() -> Site:
    """The site that is there before anybody made one; a row of its own only holds another title."""
    key = SITE.key(DEFAULT_SITE, site_id=DEFAULT_SITE)
    return Site(*key, siteId=DEFAULT_SITE, title="Main site", name="Main site", status=ACTIVE, version=0)


def get_site(site_id: str) -> Site:
    """A strong read of one site, active or not.

    Raises:
        NotFound: no such site.

    """
    try:
        return Site.load(SITE.key(DEFAULT_SITE, site_id=site_id))
    except (NotFound, InvalidKey) as error:
        if site_id == DEFAULT_SITE:
            return default_site()
        raise NotFound("There is no such site.") from error


def get_sites(site_ids: Iterable[str]) -> Sequence[Site]:
    """Strong reads of up to 100 sites in one call; who is not there is left out, in no order."""
    keys = [tuple(SITE.key(DEFAULT_SITE, site_id=one)) for one in site_ids]
    with translated():
        found = list(Site.batch_get(keys, consistent_read=True))
    wants_default = tuple(SITE.key(DEFAULT_SITE, site_id=DEFAULT_SITE)) in keys
    return found if not wants_default or any(one.site_id == DEFAULT_SITE for one in found) else [default_site(), *found]


def list_sites(cursor: str | None = None) -> Page[Site]:
    """Every site in the order of ids, strongly consistent: one Query."""
    pk = SITE.partition_key(DEFAULT_SITE)
    return Site.page(pk, sk=Site.SK.startswith(SITE.sort_prefix()), cursor=cursor, consistent=True)


def active_sites(limit: int) -> Page[Site]:
    """The first ``limit`` sites that can be opened: one Query."""
    pk = SITE.gsi1_partition(DEFAULT_SITE)
    return Site.page(pk, sk=Site.GSI1SK.startswith(SITE.gsi1_prefix(status=ACTIVE)), index="GSI1", limit=limit)


def sites_of_group(group: str) -> Sequence[SiteGroup]:
    """Everything one group may do, site by site, strongly consistent: one Query a megabyte."""
    pk = SITE_GROUP.partition_key(DEFAULT_SITE)
    prefix = SiteGroup.SK.startswith(SITE_GROUP.sort_prefix(group_name=group))
    with translated():
        return list(SiteGroup.query(pk, prefix, consistent_read=True))
