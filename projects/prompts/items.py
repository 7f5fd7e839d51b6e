"""Items of prompts: head with labels, versions, uses."""

from dataclasses import dataclass

from pynamodb.attributes import NumberAttribute, UnicodeAttribute

from config import clock
from config.item import Item, map_attribute
from config.phrase import Phrase
from projects.prompts.prompt import Prompt


def describe_version(version: int) -> str:
    """Describe it in a sentence; 0 in production: a document type has none of its own.

    >>> describe_version(3), describe_version(0)
    ('version 3', 'the general prompt')
    """
    return Phrase("version %(version)s").fill(version=version) if version else Phrase("the general prompt")


@dataclass(frozen=True)
class Proposal:
    """A version that one person wants in production and another has to confirm before ``until``.

    ``by_id``: the account's id; ``before``: the version that was in production then.
    """

    id: str
    version: int
    before: int
    reason: str
    by_id: str
    by_name: str
    at: str
    until: str

    @property
    def words(self) -> str:
        return describe_version(self.version)

    @property
    def shown_version(self) -> int:
        """On whose page it is confirmed: of the general prompt, that of the version which it replaces."""
        return self.version or self.before


class PromptHead(Item):
    """The newest version of a prompt and which ones are labelled. All of a project: one Query.

    ``production``: the version that runs use; ``candidate``: 0, or the version that ``share`` (0–1) of runs use.
    ``labelled_by``: who moved either last, and when; nothing if no one did.
    """

    purpose = UnicodeAttribute()
    scope = UnicodeAttribute()
    version = NumberAttribute()
    production = NumberAttribute()
    candidate = NumberAttribute(default=0)
    share = NumberAttribute(default=0)
    labelled_at = UnicodeAttribute(null=True)
    labelled_by = UnicodeAttribute(null=True)
    proposal = map_attribute(null=True)
    updated_at = UnicodeAttribute()
    updated_by = UnicodeAttribute()

    @property
    def open_proposal(self) -> Proposal | None:
        """Return None also if its time is over."""
        if self.proposal is None:
            return None
        stored = self.proposal.as_dict()
        found = Proposal(**{**stored, "version": int(stored["version"]), "before": int(stored["before"])})
        return found if found.until > clock.iso(clock.now()) else None


class PromptVersion(Item):
    """One version, never changed. ``created_by``: the account's id, ``user_name`` as it was called then."""

    version = NumberAttribute()
    instructions = UnicodeAttribute()
    message = UnicodeAttribute()
    note = UnicodeAttribute(null=True)
    sha256 = UnicodeAttribute()
    created_at = UnicodeAttribute()
    created_by = UnicodeAttribute()
    user_name = UnicodeAttribute()

    def prompt(self, purpose: str) -> Prompt:
        return Prompt(purpose, str(self.instructions), str(self.message))


class PromptUse(Item):
    """A run that was given this version; ``label`` as it was then."""

    workflow_id = UnicodeAttribute()
    document_id = UnicodeAttribute()
    label = UnicodeAttribute()
    created_at = UnicodeAttribute()
