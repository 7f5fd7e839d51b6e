"""Sites and permissions for tests, made through the actions that the product uses."""

from config.table import DEFAULT_SITE, SITE_GROUP
from projects.audit.events import Actor
from projects.sites import actions as site_actions
from projects.sites import directory
from projects.sites import queries as site_queries
from projects.sites.items import Site, SiteGroup

BY = Actor("1", "Alice Novak")


def make_site(site_id: str, title: str = "", *, closed: bool = False) -> Site:
    site = site_actions.create_site(site_id, title or site_id.capitalize(), by=BY)
    return site_actions.close_site(site_id, version=site.version, by=BY) if closed else site_queries.get_site(site_id)


def grant(site: str, group: str, *permissions: str) -> None:
    """As it comes to be stored, also in words that no form of ours would send."""
    parts = {"site_id": site, "group_name": group}
    key, index = SITE_GROUP.key(DEFAULT_SITE, **parts), SITE_GROUP.gsi1(DEFAULT_SITE, **parts)
    SiteGroup(
        *key, groupName=group, siteId=site, permissions=[str(one) for one in permissions], version=1, **index
    ).save()
    directory.forget()
