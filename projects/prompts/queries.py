"""Reads of prompts: one Query or GetItem each. An unchanged prompt has version 1, as shipped."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext

from config.errors import NotFound
from config.item import Page
from config.phrase import Phrase
from config.table import PROMPT, PROMPT_USE, PROMPT_VERSION, InvalidKey, Key
from projects.prompts.items import PromptHead, PromptUse, PromptVersion
from projects.prompts.prompt import (
    BY_TYPE,
    GENERAL,
    PURPOSES,
    Prompt,
    Purpose,
    get_shipped_prompt,
    make_slug,
    read_slug,
)
from projects.schemas import queries as schema_queries

MISSING = Phrase("This project has no such prompt.")
SHIPPED_BY = "Countersign"
_MOST_HEADS = 1_000  # one page: each is below a kilobyte
MOST_VERSIONS = 999_999  # as many as their keys have digits for


@dataclass(frozen=True)
class PromptRef:
    """Which prompt: ``scope`` is general, or the id of the classification whose documents it is for."""

    site: str
    project_id: str
    purpose: str
    scope: str = GENERAL

    @property
    def type_id(self) -> str:
        """The classification whose documents it is for; empty for the general one."""
        return "" if self.scope == GENERAL else self.scope

    @property
    def general(self) -> "PromptRef":
        """The prompt of the same purpose that is used if a type has none of its own in production."""
        return replace(self, scope=GENERAL)

    @property
    def key(self) -> Key:
        return PROMPT.key(self.site, project_id=self.project_id, purpose=self.purpose, scope=self.scope)

    @property
    def slug(self) -> str:
        """The name in URLs and in settings that runs pin."""
        return make_slug(self.purpose, self.type_id)

    @property
    def entity_id(self) -> str:
        """The id in audit events."""
        return f"{self.project_id}.{self.purpose}.{self.scope}"

    def version_key(self, version: int) -> Key:
        return PROMPT_VERSION.key(
            self.site, project_id=self.project_id, purpose=self.purpose, scope=self.scope, version=version
        )


def find_ref(site: str, project_id: str, slug: str) -> PromptRef:
    """The inverse of ``slug``. Raises: NotFound: no such purpose, or it has no prompts for single types."""
    purpose, type_id = read_slug(slug)
    get_purpose(purpose)
    if slug != make_slug(purpose, type_id) or (type_id and (purpose not in BY_TYPE or type_id == GENERAL)):
        raise NotFound(MISSING)
    return PromptRef(site, project_id, purpose, type_id or GENERAL)


def get_ref(site: str, project_id: str, slug: str) -> PromptRef:
    """``find_ref`` for a classification of the site. Raises: NotFound."""
    ref = find_ref(site, project_id, slug)
    if ref.type_id:
        schema_queries.get_classification(site, ref.type_id)
    return ref


def get_purpose(name: str) -> Purpose:
    """Raises: NotFound."""
    try:
        return PURPOSES[name]
    except KeyError as error:
        raise NotFound(MISSING) from error


def list_heads(site: str, project_id: str) -> Sequence[PromptHead]:
    """Return the heads of changed prompts."""
    pk = PROMPT.partition_key(site, project_id=project_id)
    return PromptHead.page(pk, limit=_MOST_HEADS, consistent=True).rows


def list_prompts(site: str, project_id: str) -> list[tuple[PromptRef, PromptHead]]:
    """The general prompt of each purpose, changed or not, then those of document types: one Query."""
    heads = {(str(one.purpose), str(one.scope)): one for one in list_heads(site, project_id)}
    keys = [(name, GENERAL) for name in PURPOSES] + sorted(key for key in heads if key[1] != GENERAL)
    refs = [PromptRef(site, project_id, *key) for key in keys]
    return [(ref, heads.get((ref.purpose, ref.scope)) or make_shipped_head(ref)) for ref in refs]


def get_head(ref: PromptRef) -> PromptHead:
    """A strong read; the shipped one's head, which is stored nowhere, if no one changed the prompt.

    Raises:
        NotFound: there is no such purpose or scope.

    """
    get_purpose(ref.purpose)
    try:
        return PromptHead.load(ref.key)
    except InvalidKey as error:
        raise NotFound(MISSING) from error
    except NotFound:
        return make_shipped_head(ref)


def find_in_use(ref: PromptRef) -> tuple[PromptRef, int]:
    """Return the prompt and version in use: the general one if the type has none in production."""
    if version := int(get_head(ref).production):
        return ref, version
    return ref.general, int(get_head(ref.general).production)


def find_newest(ref: PromptRef) -> PromptVersion:
    """Return the text to start a draft from; for a type without versions, the general prompt in use."""
    version = int(get_head(ref).version)
    return get_version(ref, version) if version else get_version(*find_in_use(ref))


def make_shipped_head(ref: PromptRef) -> PromptHead:
    """Version 1 in production, as we ship it. A prompt for one type begins without any: the general one is used."""
    first = 1 if ref.scope == GENERAL else 0
    return PromptHead(
        *ref.key,
        purpose=ref.purpose,
        scope=ref.scope,
        version=first,
        production=first,
        updated_at="",
        updated_by=SHIPPED_BY,
    )


def list_in_production(site: str, project_id: str) -> list[tuple[PromptRef, PromptVersion]]:
    """Return prompts in production for each purpose and type: one Query and a batch read.

    Raises:
        NotFound: a labelled version is missing.

    """
    heads = {(str(one.purpose), str(one.scope)): one for one in list_heads(site, project_id) if one.production}
    refs = [PromptRef(site, project_id, purpose) for purpose in PURPOSES]
    refs += [PromptRef(site, project_id, *key) for key in sorted(heads) if key[1] != GENERAL]
    found = {
        one.key: one
        for one in PromptVersion.load_many(
            [PromptRef(site, project_id, *key).version_key(int(head.production)) for key, head in heads.items()]
        )
    }
    return [(ref, _pick_version(ref, heads.get((ref.purpose, ref.scope)), found)) for ref in refs]


def _pick_version(ref: PromptRef, head: PromptHead | None, found: Mapping[Key, PromptVersion]) -> PromptVersion:
    if head is None:
        return make_shipped_version(ref)
    try:
        return found[ref.version_key(int(head.production))]
    except KeyError as error:
        raise NotFound(
            gettext("Version %(production)s of %(label)s is missing.")
            % {"production": int(head.production), "label": PURPOSES[ref.purpose].label}
        ) from error


def get_version(ref: PromptRef, version: int) -> PromptVersion:
    """Raises: NotFound."""
    try:
        return PromptVersion.load(ref.version_key(version))
    except (NotFound, InvalidKey) as error:
        if version == 1 and ref.scope == GENERAL:
            return make_shipped_version(ref)
        raise NotFound(gettext("This prompt has no version %(version)s.") % {"version": version}) from error


def make_shipped_version(ref: PromptRef) -> PromptVersion:
    shipped: Prompt = get_shipped_prompt(get_purpose(ref.purpose).name)
    return PromptVersion(
        *ref.version_key(1),
        version=1,
        instructions=shipped.instructions,
        message=shipped.message,
        sha256=shipped.sha256,
        note="As shipped",
        created_at="",
        created_by="",
        user_name=SHIPPED_BY,
    )


def list_versions(ref: PromptRef, cursor: str | None = None) -> Page[PromptVersion]:
    """Newest first. Raises: NotFound: the cursor belongs to another list."""
    pk = PROMPT_VERSION.partition_key(ref.site, project_id=ref.project_id, purpose=ref.purpose, scope=ref.scope)
    page = PromptVersion.page(pk, newest_first=True, cursor=cursor, consistent=True)
    return page if page.rows or cursor or ref.scope != GENERAL else Page([make_shipped_version(ref)], None)


def list_versions_since(ref: PromptRef, version: int) -> Sequence[PromptVersion]:
    """Return the versions after ``version``, oldest first, up to one page."""
    pk = PROMPT_VERSION.partition_key(ref.site, project_id=ref.project_id, purpose=ref.purpose, scope=ref.scope)
    first, last = (ref.version_key(one).sk for one in (min(version + 1, MOST_VERSIONS), MOST_VERSIONS))
    return PromptVersion.page(pk, sk=PromptVersion.SK.between(first, last), consistent=True).rows


def list_uses(ref: PromptRef, version: int, cursor: str | None = None) -> Page[PromptUse]:
    """The runs that were given this version, newest first. Raises: NotFound: the cursor belongs to another list."""
    pk = PROMPT_USE.partition_key(
        ref.site, project_id=ref.project_id, purpose=ref.purpose, scope=ref.scope, version=version
    )
    return PromptUse.page(pk, newest_first=True, cursor=cursor)
