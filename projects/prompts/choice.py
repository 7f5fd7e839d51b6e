"""Which versions a run that starts now is told: those in production, or a candidate for its share of runs."""

import random
from collections.abc import Callable

from projects.prompts.book import CANDIDATE, PRODUCTION, PinnedPrompt, PromptBook, make_shipped_book
from projects.prompts.items import PromptVersion
from projects.prompts.purposes import GENERAL, PURPOSES
from projects.prompts.queries import PromptRef, list_heads


def choose_book(site: str, project_id: str, draw: Callable[[], float] = random.random) -> PromptBook:
    """What a run that starts now uses: the version in production, or the candidate for its share of runs.

    One Query, and one batch read if the project has prompts of its own. ``draw``: from 0 up to 1.
    """
    chosen = {}
    for head in list_heads(site, project_id):
        if head.scope == GENERAL and head.purpose in PURPOSES:
            tried = bool(head.candidate) and draw() < float(head.share)
            ref = PromptRef(site, project_id, str(head.purpose))
            version = int(head.candidate if tried else head.production)
            chosen[ref.version_key(version)] = (ref.purpose, version, CANDIDATE if tried else PRODUCTION)
    own = {
        chosen[row.key][0]: PinnedPrompt(row.prompt(chosen[row.key][0]), *chosen[row.key][1:])
        for row in PromptVersion.load_many(list(chosen))
    }
    return PromptBook({**make_shipped_book().prompts, **own})
