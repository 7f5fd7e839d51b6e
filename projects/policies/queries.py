"""Reads of access policies and of the documents they evaluate."""

from collections.abc import Iterable, Mapping
from typing import Any

from config.errors import NotFound
from config.item import Page
from config.phrase import Sentence
from config.table import DEFAULT_SITE, DOCUMENT, OPA_POLICY, OPA_POLICY_ITEM, InvalidKey, Key
from projects.documents import queries as document_queries
from projects.documents.items import HANDED_OVER, Document
from projects.policies.items import AccessPolicy, PolicyVersion
from projects.policies.language import ATTRIBUTES, TAGS, PolicyText, read_policy
from projects.sites import directory

MISSING = Sentence("Policy version not found.")
_POLICIES = "policies"


def policy_key(site: str) -> Key:
    return OPA_POLICY.key(DEFAULT_SITE, site_id=site)


def version_key(site: str, number: int) -> Key:
    return OPA_POLICY_ITEM.key(DEFAULT_SITE, site_id=site, index=number)


def get_policy(site: str) -> AccessPolicy:
    """Return the policy row: a strong read; empty if the site never had one."""
    key = policy_key(site)
    try:
        return AccessPolicy.load(key)
    except NotFound:
        return AccessPolicy(*key, siteId=site)


def list_versions(site: str, cursor: str | None = None) -> Page[PolicyVersion]:
    """The newest first: one Query."""
    prefix = OPA_POLICY_ITEM.sort_prefix(site_id=site)
    return PolicyVersion.page(
        OPA_POLICY_ITEM.partition_key(DEFAULT_SITE),
        sk=PolicyVersion.SK.startswith(prefix),
        newest_first=True,
        cursor=cursor,
        consistent=True,
    )


def get_version(site: str, number: int) -> PolicyVersion:
    """A strong read. Raises: NotFound."""
    try:
        return PolicyVersion.load(version_key(site, number))
    except (NotFound, InvalidKey) as error:
        raise NotFound(MISSING) from error


def active_number(site: str) -> int:
    """Return the active version, 0 for none; cached with the site's row (ADR 0005)."""
    found = directory.get_site(site)
    return int(found.policy or 0) if found else 0


def read_version(site: str, number: int) -> PolicyText:
    """Return a parsed version, cached with the site's row. Raises: NotFound; Refused if it is no longer valid."""
    return directory.remember(_POLICIES, f"{site}/{number}", lambda: read_policy(get_version(site, number).policy))


def describe_documents(
    site: str, document_ids: Iterable[str], needs: frozenset[str] = frozenset({ATTRIBUTES, TAGS})
) -> Mapping[str, Mapping[str, Any]]:
    """Return documents' facts by id: one BatchGetItem, and a Query per document for each of ``needs``.

    Deleted documents keep their facts; a document without a row has only its id. External reviews are left out.
    """
    ids = [one for one in dict.fromkeys(document_ids) if not one.startswith(HANDED_OVER) and _is_id(site, one)]
    rows = {one.document_id: one for one in document_queries.get_documents(site, ids)}
    if gone := [one for one in ids if one not in rows]:
        rows |= {one.document_id: one for one in document_queries.get_soft_deleted(site, gone)}
    return {one: _describe(site, rows[one], needs) if one in rows else {"id": one} for one in ids}


def _is_id(site: str, document_id: str) -> bool:
    try:
        DOCUMENT.key(site, document_id=document_id)
    except InvalidKey:
        return False
    return True


def _describe(site: str, document: Document, needs: frozenset[str]) -> Mapping[str, Any]:
    found: dict[str, Any] = {
        "id": document.document_id,
        "name": document.name,
        "path": document.path,
        "folder_id": document.folder_id or "",
        "queue_id": document.queue or "",
        "project_id": document.project_id,
        "project": document.project_name or "",
        "type_id": document.classification_id or "",
        "status": document.status or "",
        "file_type": document.file_type,
        "file_size": int(document.file_size),
        "uploaded_by": document.userId,
        "created_at": document.created_at,
    }
    if ATTRIBUTES in needs:
        values: dict[str, list[Any]] = {}
        for row in document_queries.in_order(document_queries.list_attributes(site, document.document_id)):
            if row.key_ and row.valueType != "COMPOSITE_STRING":
                value = row.value
                values.setdefault(row.key_, []).append(value if isinstance(value, str | bool) else float(value))
        found[ATTRIBUTES] = values
    if TAGS in needs:
        tags: dict[str, list[str]] = {}
        for one in document_queries.list_tags(site, document.document_id):
            tags.setdefault(one.tag_key, []).append(one.tagValue or "")
        found[TAGS] = tags
    return found
