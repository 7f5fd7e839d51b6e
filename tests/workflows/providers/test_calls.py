"""Which errors of a service are tried again, how often and how far apart; what the others tell a person."""

import pytest
import urllib3
from botocore.exceptions import (
    ClientError,
    EndpointConnectionError,
    NoCredentialsError,
    ParamValidationError,
    ReadTimeoutError,
)

from config.errors import ProviderPaused, StageFailed, Unavailable
from tests.each import each
from tests.workflows.providers.services import OpenGate, caller
from workflows.providers.calls import TRANSIENT, Caller
from workflows.providers.language_models.bedrock import BEDROCK
from workflows.providers.textract import TEXTRACT


def refusal(code: str, status: int = 400) -> ClientError:
    return ClientError({"Error": {"Code": code}, "ResponseMetadata": {"HTTPStatusCode": status}}, "Converse")  # type: ignore[typeddict-item]


class Service:
    """Raises what it was given, one after the other, then answers."""

    def __init__(self, *errors: Exception) -> None:
        self.errors = list(errors)
        self.asked = 0

    def __call__(self) -> str:
        self.asked += 1
        if self.errors:
            raise self.errors.pop(0)
        return "answer"


@each("code", sorted(TRANSIENT))
def test_a_transient_error_is_tried_again(code):
    gate, service = OpenGate(), Service(refusal(code), refusal(code))
    assert caller(BEDROCK, gate=gate)(service) == "answer"
    assert service.asked == 3
    assert gate.told == ["admit", "worked"]


@each(
    "error",
    [
        refusal("SomethingNew", 503),
        EndpointConnectionError(endpoint_url="https://x"),
        ReadTimeoutError(endpoint_url="https://x"),
        urllib3.exceptions.ProtocolError("Connection broken"),
        Unavailable("HTTP 502"),
    ],
)
def test_nobody_there_is_tried_again(error):
    service = Service(error)
    assert caller(BEDROCK)(service) == "answer"
    assert service.asked == 2


def test_after_its_attempts_the_provider_is_left_alone():
    gate, service = OpenGate(), Service(*[refusal("ThrottlingException")] * 9)
    with pytest.raises(ProviderPaused, match=r"Amazon Bedrock is not responding \(ThrottlingException\)") as raised:
        caller(BEDROCK, gate=gate)(service)
    assert service.asked == 4
    assert (raised.value.provider, raised.value.seconds) == ("bedrock", 7.0)
    assert gate.told == ["admit", "failed ThrottlingException"]


def test_the_pauses_are_drawn_up_to_a_bound_that_doubles():
    bounds, slept = [], []

    def draw(low: float, high: float) -> float:
        bounds.append((low, high))
        return high / 2

    call = Caller(BEDROCK, OpenGate(), 7, sleep=slept.append, draw=draw)
    call(Service(*[refusal("ThrottlingException")] * 6))
    assert bounds == [(0.0, 1.0), (0.0, 2.0), (0.0, 4.0), (0.0, 8.0), (0.0, 8.0), (0.0, 8.0)]
    assert slept == [0.5, 1.0, 2.0, 4.0, 4.0, 4.0]


@pytest.mark.parametrize("code", ["ValidationException", "BadDocumentException", "SomethingNew"])
def test_any_other_refusal_is_asked_once_and_is_an_answer(code):
    gate, service = OpenGate(), Service(refusal(code))
    with pytest.raises(StageFailed) as raised:
        caller(TEXTRACT, gate=gate)(service)
    assert service.asked == 1
    assert raised.value.code == code
    assert gate.told == ["admit", "worked"]  # it is there and answers, whatever it thinks of the document


@pytest.mark.parametrize("code", ["AccessDeniedException", "ResourceNotFoundException", "ExpiredToken"])
def test_a_refusal_that_is_of_no_document_is_told_apart(code):
    gate, service = OpenGate(), Service(refusal(code))
    with pytest.raises(StageFailed):
        caller(TEXTRACT, gate=gate)(service)
    assert (service.asked, gate.told) == (1, ["admit", f"refused {code}"])


def test_refusals_say_what_to_do():
    for error, words in [
        (refusal("BadDocumentException"), "Save or scan it again"),
        (refusal("AccessDeniedException"), "Allow it in their role"),
        (refusal("SomethingNew"), "Amazon Textract rejected this document: SomethingNew"),
    ]:
        with pytest.raises(StageFailed, match=words):
            caller(TEXTRACT)(Service(error))


@pytest.mark.parametrize(
    ("error", "problem"),
    [
        (NoCredentialsError(), "no AWS credentials were found"),
        (refusal("UnrecognizedClientException"), "AWS does not accept the credentials"),
        (refusal("ExpiredTokenException"), "AWS does not accept the credentials"),
    ],
)
def test_missing_credentials_are_a_clear_state_and_no_failure_of_the_provider(error, problem):
    gate, service = OpenGate(), Service(error)
    with pytest.raises(StageFailed) as raised:
        caller(BEDROCK, gate=gate)(service)
    assert str(raised.value).startswith(f"Amazon Bedrock is selected for this document, but {problem}. Give")
    assert service.asked == 1
    assert not any(one.startswith("failed") for one in gate.told)


def test_a_mistake_of_ours_does_not_put_values_into_the_message():
    with pytest.raises(StageFailed) as raised:
        caller(BEDROCK)(Service(ParamValidationError(report="value: secret text of a page")))
    assert "secret" not in str(raised.value)


def test_a_bug_is_not_swallowed():
    with pytest.raises(ZeroDivisionError):
        caller(BEDROCK)(Service(ZeroDivisionError()))
