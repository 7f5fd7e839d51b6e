"""The numbers of the site's settings that workflows know: rules, mappings, definitions, and what needs attention."""

from config import table
from config.item import Item
from config.phrase import count_phrase
from projects.web.settings_numbers import MOST_COUNTED, SettingsNumber, count_listed, number_of, write_count
from workflows.definitions import versions
from workflows.providers import queries as providers_queries


@number_of("routing:list-rulesets")
def _count_rulesets(site: str) -> SettingsNumber:
    return write_count(Item.count_rows(table.RULESET.partition_key(site), limit=MOST_COUNTED))


@number_of("routing:list-mappings")
def _count_mappings(site: str) -> SettingsNumber:
    return count_listed(table.MAPPING.gsi1_partition(site))


@number_of("definitions:list-definitions")
def _count_definitions(_site: str) -> SettingsNumber:
    return write_count(len(versions.list_names()))


@number_of("incoming:list-incoming")
def _count_quarantined(site: str) -> SettingsNumber | None:
    """Of folders there may be few; what matters are files that wait for an admin."""
    pk = table.INCOMING_FILE.gsi1_partition(table.DEFAULT_SITE, site_id=site)
    waiting = Item.count_rows(pk, index="GSI1", limit=MOST_COUNTED)
    words = count_phrase("%(count)s quarantined", "%(count)s quarantined", waiting)
    return SettingsNumber(words, "warn") if waiting else None


@number_of("services:list-providers")
def _count_failing(_site: str) -> SettingsNumber | None:
    """Services that failed when they were last called."""
    failing = sum(bool(one.failures) for one in providers_queries.provider_states())
    words = count_phrase("%(count)s failing", "%(count)s failing", failing)
    return SettingsNumber(words, "bad") if failing else None
