"""What a model still needs on this installation before it can be asked."""

import shutil
from dataclasses import dataclass

from django.conf import settings

from config.laptop import embedded_model
from projects.models.queries import Spec
from projects.models.spec import EMBEDDED, OPENAI, PADDLEX, PP_OCR, TESSERACT, OcrSpec


@dataclass(frozen=True)
class SetupProblem:
    """Why a model cannot be asked here, and what the operator does about it."""

    label: str
    remedy: str


def find_setup_problem(spec: Spec) -> SetupProblem | None:
    """None too of what only a worker on another machine can know: its test tells."""
    if spec.provider == TESSERACT and settings.ON_LAPTOP and shutil.which("tesseract") is None:
        return SetupProblem("Not installed", "Install the package tesseract-ocr on this machine.")
    if spec.provider == PADDLEX and not _is_bound(spec.endpoint):
        where = "COUNTERSIGN_OCR_ENDPOINTS" if spec.endpoint else "COUNTERSIGN_OCR_ENDPOINT_URL"
        return SetupProblem("Endpoint not set up", f"Set {where} to a server with PaddleX’s interface and restart.")
    if spec.provider == EMBEDDED and not embedded_model.is_installed():
        return SetupProblem("Not installed", "Stop the demo and run make demo-model.")
    if spec.provider == OPENAI and spec.endpoint not in settings.MODEL_ENDPOINTS:
        return SetupProblem("Endpoint not set up", f"Add {spec.endpoint} to COUNTERSIGN_MODEL_ENDPOINTS and restart.")
    return None


def surely_reads_here(spec: OcrSpec) -> bool:
    """Return True if it is on the workers, at no cost: PP-OCR always is, Tesseract is only seen on a laptop."""
    if spec.provider == TESSERACT:
        return settings.ON_LAPTOP and find_setup_problem(spec) is None
    return spec.provider == PP_OCR


def _is_bound(endpoint: str) -> bool:
    return endpoint in settings.OCR_ENDPOINTS if endpoint else bool(settings.OCR_ENDPOINT_URL)
