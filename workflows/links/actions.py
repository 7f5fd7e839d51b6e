"""A purged document leaves no share of it."""

from projects.shares import actions
from workflows.documents.actions.hide import at_purge


@at_purge
def forget_shared(site: str, document_id: str) -> None:
    """Take away every share of a purged document; again is harmless."""
    actions.forget_shares(site, document_id)
