"""The numbers beside the lines of a site's settings: how many there are, or how many need attention.

Packages in higher layers register theirs with ``number_of``.
"""

from collections.abc import Callable
from dataclasses import dataclass

from django.contrib.auth.models import User

from config.item import Item
from config.phrase import Phrase
from config.table import API_KEY, CLASSIFICATION, DEFAULT_SITE, QUEUE, SITE
from projects.accounts import people
from projects.models import queries as model_queries
from projects.policies import queries as policy_queries
from projects.schemas.queries import ENTITY
from projects.sites.items import ApiKey, Site
from projects.sites.queries import KEY_ACTIVE

MOST_COUNTED = 100


@dataclass(frozen=True)
class SettingsNumber:
    """``tone``: a class of ``.status`` if it needs attention; empty for a plain count."""

    words: str
    tone: str = ""


NumberReader = Callable[[str], SettingsNumber | None]
_readers: dict[str, NumberReader] = {}


def number_of(url: str) -> Callable[[NumberReader], NumberReader]:
    """Register who reads the number of the line with this URL name, for a site; None: nothing to say."""

    def register(reader: NumberReader) -> NumberReader:
        _readers[url] = reader
        return reader

    return register


def read_number(url: str, site: str) -> SettingsNumber | None:
    """Read the number with at most one Query; None for lines without a number."""
    reader = _readers.get(url)
    return reader(site) if reader else None


def write_count(count: int) -> SettingsNumber:
    """A count that stopped at ``MOST_COUNTED`` says so.

    >>> write_count(7).words, write_count(100).words
    ('7', '100+')
    """
    return SettingsNumber(f"{count}+" if count >= MOST_COUNTED else str(count))


def count_listed(pk: str) -> SettingsNumber:
    """Count the rows of a partition of the first index."""
    return write_count(Item.count_rows(pk, index="GSI1", limit=MOST_COUNTED))


@number_of("schemas:list-classifications")
def _count_document_types(site: str) -> SettingsNumber:
    return count_listed(CLASSIFICATION.gsi1_partition(site, entity=ENTITY))


@number_of("queues:list-queues")
def _count_queues(site: str) -> SettingsNumber:
    """Beside the site's own queue, which the overview names and the list of queues has not."""
    own = count_listed(QUEUE.gsi1_partition(site)).words
    return SettingsNumber(Phrase("Review only") if own == "0" else Phrase("Review + %(count)s").fill(count=own))


@number_of("models:list-models")
def _count_models(site: str) -> SettingsNumber:
    found = model_queries.list_entries(site)
    return write_count(len(found.language) + len(found.ocr))


@number_of("admin:index")
def _count_accounts(_site: str) -> SettingsNumber:
    return SettingsNumber(f"{User.objects.count():,}")


@number_of("settings:list-people")
def _count_people(site: str) -> SettingsNumber:
    return SettingsNumber(f"{people.count_people(site):,}")


@number_of("settings:edit-groups")
def _count_groups(site: str) -> SettingsNumber:
    return write_count(len(people.site_groups(site)))


@number_of("policies:list-versions")
def _tell_policy(site: str) -> SettingsNumber:
    active = policy_queries.active_number(site)
    return SettingsNumber(f"v{active}" if active else Phrase("none"))


@number_of("settings:edit-keys")
def _count_keys(site: str) -> SettingsNumber:
    """Count the keys that are not revoked, including personal tokens."""
    rows = ApiKey.page(API_KEY.gsi1_partition(DEFAULT_SITE, site_id=site), index="GSI1", limit=MOST_COUNTED).rows
    return write_count(sum(one.status == KEY_ACTIVE for one in rows))


@number_of("settings:list-sites")
def _count_sites(_site: str) -> SettingsNumber:
    prefix = Site.SK.startswith(SITE.sort_prefix())
    rows = Site.page(SITE.partition_key(DEFAULT_SITE), sk=prefix, limit=MOST_COUNTED).rows
    has_main = any(one.siteId == DEFAULT_SITE for one in rows)  # it has no row until it is changed
    return write_count(len(rows) + (not has_main))
