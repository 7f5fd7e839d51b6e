"""Names of the services in keys and settings, and their labels."""

from collections.abc import Mapping

from django.conf import settings

from config.phrase import Phrase
from projects.models.spec import EMBEDDED, MODEL_PROVIDERS
from workflows.providers.bda import BDA
from workflows.providers.calls import Provider
from workflows.providers.endpoint import ENDPOINT
from workflows.providers.language_models.bedrock import BEDROCK
from workflows.providers.textract import TEXTRACT
from workflows.providers.transcribe import TRANSCRIBE

_MODELS = (
    *(
        Provider(
            f"{ENDPOINT.name}-{name}",
            Phrase("OCR endpoint %(name)s").fill(name=name),
        )
        for name in settings.OCR_ENDPOINTS
    ),
    *(
        Provider(f"openai-{name}", Phrase("Model endpoint %(name)s").fill(name=name))
        for name in settings.MODEL_ENDPOINTS
    ),
    Provider(EMBEDDED, MODEL_PROVIDERS[EMBEDDED]),
)
PROVIDERS: Mapping[str, Provider] = {one.name: one for one in (TEXTRACT, BEDROCK, BDA, TRANSCRIBE, ENDPOINT, *_MODELS)}
LABELS: Mapping[str, str] = {name: one.label for name, one in PROVIDERS.items()}
