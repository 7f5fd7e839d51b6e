"""Marking a model as used, in the transaction of the project or model that chooses it."""

from collections.abc import Iterable

from config.table import MODEL
from config.transaction import EXISTS, Change, Update
from projects.models.builtin import list_builtin_models
from projects.models.items import Model
from projects.models.spec import find_builtin_ocr

GONE = "model"  # what ``Conflict.failed`` calls a model that was removed first


def mark_chosen(site: str, model_ids: Iterable[str]) -> list[Change]:
    """Require that the models exist, and make a concurrent removal recheck its uses."""
    builtin = {one.id for one in list_builtin_models()}
    own = sorted(one for one in set(model_ids) - builtin if not find_builtin_ocr(one))
    return [Update(MODEL.key(site, model_id=one), [Model.chosen.add(1)], EXISTS, name=GONE) for one in own]
