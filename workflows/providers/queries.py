"""Reads of circuit breakers."""

from config import table
from workflows.providers.items import ProviderState


def provider_states() -> list[ProviderState]:
    """List the states, without services that never failed: one Query, the same on every site."""
    pk = table.PROVIDER_STATE.partition_key(table.DEFAULT_SITE)
    prefix = ProviderState.SK.startswith(table.PROVIDER_STATE.sort_prefix())
    return list(ProviderState.page(pk, sk=prefix, limit=50).rows)
