"""Whether a model can be used on this installation, and what is missing."""

import shutil
from collections.abc import Iterable
from dataclasses import dataclass

from django.conf import settings

from config import aws
from config.errors import Refused
from config.laptop import embedded_model
from config.phrase import Phrase
from projects.models.queries import Spec
from projects.models.spec import (
    BEDROCK,
    EMBEDDED,
    MODEL_PROVIDERS,
    OCR_PROVIDERS,
    OPENAI,
    PADDLEX,
    PP_OCR,
    TESSERACT,
    TEXTRACT,
    OcrSpec,
)
from projects.templatetags.desk import within_sentence


@dataclass(frozen=True)
class SetupProblem:
    """Why a model cannot be used here, and what to ask the operator for."""

    label: str
    remedy: str


def find_setup_problem(spec: Spec) -> SetupProblem | None:
    """Return the problem, or None. What only a worker on another machine can know is left to the model's test."""
    if spec.provider == TESSERACT and settings.ON_LAPTOP and shutil.which("tesseract") is None:
        return SetupProblem(Phrase("Not installed"), Phrase("Ask the operator to install the package tesseract-ocr."))
    if spec.provider == PADDLEX and not _is_bound(spec.endpoint):
        where = "COUNTERSIGN_OCR_ENDPOINTS" if spec.endpoint else "COUNTERSIGN_OCR_ENDPOINT_URL"
        ask = Phrase("Ask the operator to set %(where)s to a server with PaddleX’s interface and restart.")
        return _endpoint_problem(settings.OCR_ENDPOINTS, ask.fill(where=where))
    if spec.provider == EMBEDDED and not embedded_model.is_installed():
        return SetupProblem(
            Phrase("Not installed"), Phrase("Ask the operator to stop the demo and run make demo-model.")
        )
    if spec.provider == OPENAI and spec.endpoint not in settings.MODEL_ENDPOINTS:
        ask = Phrase("Ask the operator to add %(endpoint)s to COUNTERSIGN_MODEL_ENDPOINTS and restart.")
        return _endpoint_problem(settings.MODEL_ENDPOINTS, ask.fill(endpoint=spec.endpoint))
    if spec.provider in {BEDROCK, TEXTRACT} and not aws.provider_credentials():
        return SetupProblem(
            Phrase("Credentials missing"),
            Phrase("Ask the operator to set AWS_PROFILE to an account with access to %(provider)s and restart.").fill(
                provider={**MODEL_PROVIDERS, **OCR_PROVIDERS}[spec.provider]
            ),
        )
    return None


def _endpoint_problem(endpoints: Iterable[str], remedy: str) -> SetupProblem:
    """``remedy``: of the operator, if no endpoint is set up that an admin could select."""
    if names := ", ".join(endpoints):
        remedy = Phrase("Copy or edit this model and select an endpoint that is set up (%(names)s).").fill(names=names)
    return SetupProblem(Phrase("Endpoint not set up"), remedy)


def check_model_is_set_up(spec: Spec) -> None:
    """Raises: Refused with the reason and the remedy."""
    if problem := find_setup_problem(spec):
        told = Phrase("%(model)s cannot be used here: %(state)s. %(remedy)s")
        raise Refused(
            told.fill(model=spec.name, state=within_sentence(problem.label), remedy=problem.remedy), field="model_id"
        )


def name_with_problem(spec: Spec) -> str:
    """Return the model's name for a choice, with the reason if it cannot be used here."""
    problem = find_setup_problem(spec)
    if problem is None:
        return spec.name
    return Phrase("%(model)s · %(state)s").fill(model=spec.name, state=within_sentence(problem.label))


def surely_reads_here(spec: OcrSpec) -> bool:
    """Return True if it is on the workers, at no cost: PP-OCR always is, Tesseract is only seen on a laptop."""
    if spec.provider == TESSERACT:
        return settings.ON_LAPTOP and find_setup_problem(spec) is None
    return spec.provider == PP_OCR


def _is_bound(endpoint: str) -> bool:
    return endpoint in settings.OCR_ENDPOINTS if endpoint else bool(settings.OCR_ENDPOINT_URL)
