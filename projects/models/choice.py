"""The models of a new run, as chosen by its project, by purpose."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings

from config.errors import NotFound, Refused
from config.phrase import Sentence
from projects.models.queries import get_ocr_model, list_models
from projects.models.spec import ModelSpec, OcrSpec, spec_from
from projects.prompts.prompt import PURPOSES
from projects.settings.values import EXTRACT

_GONE = Sentence("The model %(id)s is no longer in the catalogue. Select another in the project settings.")
_GONE_OCR = Sentence("The OCR model %(id)s is no longer in the catalogue. Select another in the project settings.")


@dataclass(frozen=True)
class ModelChoice:
    """``takeover``: used if ``spec``'s confidence is below its ``takeover_below``."""

    spec: ModelSpec
    takeover: ModelSpec | None = None

    def to_json(self) -> dict[str, Any]:
        return {"spec": self.spec.to_json(), "takeover": self.takeover.to_json() if self.takeover else None}


def choice_from(stored: Mapping[str, Any]) -> ModelChoice:
    """The inverse of ``to_json``."""
    takeover = stored.get("takeover")
    return ModelChoice(spec_from(stored["spec"]), spec_from(takeover) if takeover else None)


def choose_models(site: str, chosen: Mapping[str, str]) -> Mapping[str, ModelChoice]:
    """One for each purpose; ``chosen``: purpose → id. What is not chosen is as for fields, and those as the desk says.

    One Query. Raises: Refused if a model that was chosen is gone.
    """
    known = {spec.id: spec for spec in list_models(site)}
    return {purpose: _choose(known, choose_model_id(chosen, purpose)) for purpose in PURPOSES}


def choose_model_id(chosen: Mapping[str, str], purpose: str) -> str:
    """The id of the model that a run asks; ``chosen``: as of ``choose_models``."""
    return chosen.get(purpose) or chosen.get(EXTRACT) or str(settings.MODEL)


def choose_ocr_model(site: str, model_id: str) -> OcrSpec:
    """Return the OCR model of a run that starts now. Raises: Refused if the model is gone."""
    try:
        return get_ocr_model(site, model_id)
    except NotFound as error:
        raise Refused(_GONE_OCR.fill(id=model_id)) from error


def _choose(known: Mapping[str, ModelSpec], model_id: str) -> ModelChoice:
    if model_id not in known:
        raise Refused(_GONE.fill(id=model_id))
    spec = known[model_id]
    return ModelChoice(spec, known.get(spec.takeover))
