"""The prompts and models that runs pin: one content-addressed object in S3, shared by many runs."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from django.utils.translation import gettext

from config.errors import CountersignError, StageFailed, Unavailable
from projects.models.choice import ModelChoice, choice_from
from projects.prompts.book import PromptBook, book_from, make_shipped_book
from workflows.storage import files
from workflows.storage.objects import SiteFiles


@dataclass(frozen=True)
class PinnedModels:
    """The prompts, and the models by purpose with all parameters."""

    prompts: PromptBook
    models: Mapping[str, ModelChoice]

    def __getitem__(self, purpose: str) -> ModelChoice:
        """Raises: StageFailed if the run pinned no model for the purpose."""
        try:
            return self.models[purpose]
        except KeyError as error:
            raise StageFailed(gettext("This run started without a language model. Upload the file again.")) from error


def pin_prompts(site: str, book: PromptBook, models: Mapping[str, ModelChoice]) -> str:
    """Store the current prompts and models and return their sha256."""
    body = {"prompts": book.to_json(), "models": {purpose: one.to_json() for purpose, one in models.items()}}
    return SiteFiles(site).pin_json(files.promptbook, body)


def load_prompts(site: str, sha256: str) -> PromptBook:
    """Load the pinned prompts; the shipped ones if the run pinned none. Raises: as ``load_models``."""
    return load_models(site, sha256).prompts


def load_models(site: str, sha256: str) -> PinnedModels:
    """Load the pinned models.

    Raises:
        StageFailed: the object is gone, or is not what was pinned.
        Unavailable: S3 does not answer.

    """
    if not sha256:
        return PinnedModels(make_shipped_book(), {})
    try:
        return _read_pinned_models(site, sha256)
    except Unavailable:
        raise
    except CountersignError as error:
        raise StageFailed(gettext("The prompts of this run cannot be loaded. Upload the file again.")) from error


@lru_cache(maxsize=32)
def _read_pinned_models(site: str, sha256: str) -> PinnedModels:
    """Immutable, so cached by each worker. Raises: NotFound, Tampered."""
    stored = json.loads(SiteFiles(site).read_pinned(files.promptbook(sha256), sha256))
    models = {purpose: choice_from(one) for purpose, one in stored["models"].items()}
    return PinnedModels(book_from(stored["prompts"]), models)
