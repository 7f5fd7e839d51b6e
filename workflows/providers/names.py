"""The services' names in keys and settings, and what people call them."""

from collections.abc import Mapping

from workflows.providers.bda import BDA
from workflows.providers.bedrock import BEDROCK
from workflows.providers.calls import Provider
from workflows.providers.endpoint import ENDPOINT
from workflows.providers.textract import TEXTRACT
from workflows.providers.transcribe import TRANSCRIBE

PROVIDERS: Mapping[str, Provider] = {one.name: one for one in (TEXTRACT, BEDROCK, BDA, TRANSCRIBE, ENDPOINT)}
LABELS: Mapping[str, str] = {name: one.label for name, one in PROVIDERS.items()}
