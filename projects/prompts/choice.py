"""Which versions a run that starts now is told: those in production, or a candidate for its share of runs."""

import random
from collections.abc import Callable

from config.errors import Refused
from projects.prompts.book import CANDIDATE, PRODUCTION, PinnedPrompt, PromptBook, make_shipped_book
from projects.prompts.items import PromptVersion
from projects.prompts.purposes import GENERAL, PURPOSES
from projects.prompts.queries import PromptRef, list_heads


def choose_book(site: str, project_id: str, draw: Callable[[], float] = random.random) -> PromptBook:
    """What a run that starts now uses: the version in production, or the candidate for its share of runs.

    One Query, and one batch read if the project has prompts of its own. ``draw``: from 0 up to 1.

    Raises:
        Refused: a version that a label names is not there. What we ship would be other words than the admin's.

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
    for purpose, version, _ in chosen.values():
        if purpose not in own:
            label = PURPOSES[purpose].label
            raise Refused(f"Version {version} of the prompt {label} is missing. Put another version into production.")
    return PromptBook({**make_shipped_book().prompts, **own})
