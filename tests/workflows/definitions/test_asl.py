import dataclasses
import json

from django.conf import settings

from workflows.definitions import asl
from workflows.definitions.blueprint import DOCUMENT_ANALYSIS


def test_steps_of_later_versions_have_the_time_that_slices_of_a_long_document_take() -> None:
    first = dataclasses.replace(DOCUMENT_ANALYSIS, version=1)
    later = dataclasses.replace(DOCUMENT_ANALYSIS, version=2)
    seconds = [
        json.loads(asl.compile_definition(one))["States"]["paddleocr_processor"]["TimeoutSeconds"]
        for one in (first, later)
    ]
    assert seconds == [settings.STEP_TIMEOUT_SECONDS, settings.LONG_STEP_TIMEOUT_SECONDS]
