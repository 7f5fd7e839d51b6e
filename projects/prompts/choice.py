"""Choosing the prompt versions of a new run: production, or the candidate for its share of runs."""

import random
from collections.abc import Callable, Collection

from django.utils.translation import gettext

from config.errors import Refused
from projects.prompts.book import CANDIDATE, PRODUCTION, PinnedPrompt, PromptBook, make_shipped_book
from projects.prompts.items import PromptHead, PromptVersion
from projects.prompts.prompt import BY_TYPE, GENERAL, PURPOSES
from projects.prompts.queries import PromptRef, list_heads


def choose_book(
    site: str,
    project_id: str,
    draw: Callable[[], float] = random.random,
    *,
    types: Collection[str] | None = (),
) -> PromptBook:
    """Return the prompts of a run that starts now: in production, or the candidate for its share of runs.

    One Query, and one batch read if the project has prompts of its own. ``draw``: from 0 up to 1. ``types``: the
    classifications that the document may turn out to have, None for any: their own prompts are in the book too.

    Raises:
        Refused: a labelled version is missing; the shipped prompt would not be the admin's text.

    """
    chosen = {}
    for head in list_heads(site, project_id):
        if not _is_wanted(head, types):
            continue
        tried = bool(head.candidate) and draw() < float(head.share)
        ref = PromptRef(site, project_id, str(head.purpose), str(head.scope))
        if version := int(head.candidate if tried else head.production):
            chosen[ref.version_key(version)] = (ref, version, CANDIDATE if tried else PRODUCTION)
    own = {}
    for row in PromptVersion.load_many(list(chosen)):
        ref, version, label = chosen.pop(row.key)
        own[ref.slug] = PinnedPrompt(row.prompt(ref.purpose), version, label, ref.scope)
    for ref, version, _ in chosen.values():
        label = PURPOSES[ref.purpose].label
        raise Refused(
            gettext("Version %(version)s of the prompt %(label)s is missing. Put another version into production.")
            % {"version": version, "label": label}
        )
    return PromptBook({**make_shipped_book().prompts, **own})


def _is_wanted(head: PromptHead, types: Collection[str] | None) -> bool:
    if head.scope == GENERAL:
        return head.purpose in PURPOSES
    return head.purpose in BY_TYPE and (types is None or head.scope in types)
