"""OCR by a model endpoint over HTTPS: PaddleX's serving interface, as used by PP-OCR, PaddleOCR-VL and others.

The address and its key are settings of the deployment, never of a project: whoever may configure a project must not
choose where documents are sent. Source: PaddleX, "Serving", general OCR pipeline.
"""

import base64
import http.client
import json
import ssl
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlsplit

from config import logs
from config.errors import StageFailed, Unavailable
from config.phrase import Phrase, Sentence
from projects.models.spec import LINES, PAGE, UPRIGHT, OcrSpec
from workflows.providers.calls import Caller, Provider
from workflows.stages.pages.layout import Box, Line, Word
from workflows.stages.pages.reading import PageReading

ENDPOINT = Provider("endpoint", Phrase("The model endpoint"))
_NOT_SET = Sentence(
    "A model endpoint is selected for this document, but none is configured. Select another OCR model in the project "
    "settings, or ask the operator to set %(variable)s to an address that begins with https://. Then re-run the "
    "document."
)
# Without unwarping, which would move every word: boxes refer to the page as it was sent.
_ORIENTATIONS: Mapping[str, Mapping[str, bool]] = {
    "": {},
    UPRIGHT: {"useDocOrientationClassify": False, "useDocUnwarping": False, "useTextlineOrientation": False},
    LINES: {"useDocOrientationClassify": False, "useDocUnwarping": False, "useTextlineOrientation": True},
    PAGE: {"useDocOrientationClassify": True, "useDocUnwarping": False, "useTextlineOrientation": True},
}
_WORTH_A_RETRY = frozenset({408, 425, 429})
_MOST = 64 * 1024 * 1024  # bytes of an answer


@dataclass(frozen=True)
class Endpoint:
    """``insecure``: http:// is allowed, for an endpoint on this machine.

    ``name``: of several that the deployer configures; empty for the first. ``asked``: parameters sent with each page.
    """

    url: str
    key: str
    call: Caller
    seconds: float = 50.0
    insecure: bool = False
    name: str = ""
    asked: Mapping[str, Any] = field(default_factory=dict)

    @property
    def service(self) -> str:
        return self.call.provider.name

    @property
    def model(self) -> str:
        """The model's name, without the address, which only the deployer may see."""
        return f"PaddleX endpoint {self.name}".strip()

    def read(self, image: bytes, index: int, size: tuple[int, int]) -> PageReading:
        """``image``: a PNG of ``size`` pixels.

        Raises:
            StageFailed: it is not configured, or rejects the page.
            ProviderPaused: it does not answer.

        """
        parts = urlsplit(self.url)
        if not parts.hostname or parts.scheme not in ({"https", "http"} if self.insecure else {"https"}):
            variable = "COUNTERSIGN_OCR_ENDPOINTS" if self.name else "COUNTERSIGN_OCR_ENDPOINT_URL"
            raise StageFailed(_NOT_SET.fill(variable=variable), code="NotSet")
        body = json.dumps({"file": base64.b64encode(image).decode(), "fileType": 1, **self.asked}).encode()
        return read_endpoint_answer(self.call(lambda: self._post(body)), index, size)

    @property
    def _key_variable(self) -> str:
        return f"COUNTERSIGN_OCR_KEY_{self.name.upper()}" if self.name else "COUNTERSIGN_OCR_ENDPOINT_KEY"

    def _post(self, body: bytes) -> Mapping[str, Any]:
        """Raises: Unavailable if a retry may help; StageFailed."""
        parts = urlsplit(self.url)
        host, port = str(parts.hostname), parts.port
        connection: http.client.HTTPConnection = (
            http.client.HTTPSConnection(host, port, timeout=self.seconds, context=ssl.create_default_context())
            if parts.scheme == "https"
            else http.client.HTTPConnection(host, port, timeout=self.seconds)
        )
        headers = {"Content-Type": "application/json", **logs.request_headers()}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        try:
            connection.request("POST", target, body=body, headers=headers)
            response = connection.getresponse()
            return _answer(response.status, response.read(_MOST + 1), self._key_variable)
        except ssl.SSLCertVerificationError as error:
            raise StageFailed("The model endpoint's certificate is not valid for its address.", code="TLS") from error
        except (OSError, http.client.HTTPException) as error:
            raise Unavailable(type(error).__name__) from error
        finally:
            connection.close()


def _answer(status: int, body: bytes, key: str) -> Mapping[str, Any]:
    if status >= 500 or status in _WORTH_A_RETRY:
        raise Unavailable(f"HTTP {status}")
    if status in {401, 403}:
        raise StageFailed(f"The model endpoint does not accept {key}.", code=str(status))
    if not 200 <= status < 300:
        raise StageFailed(f"The model endpoint rejected this page: it returned {status}.", code=str(status))
    try:
        answer = json.loads(body) if len(body) <= _MOST else None
    except ValueError:
        answer = None
    if not isinstance(answer, Mapping):
        raise StageFailed("The model endpoint's response cannot be parsed. Check its address.", code="BadAnswer")
    if answer.get("errorCode"):
        raise StageFailed("The model endpoint could not read this page.", code=str(answer["errorCode"]))
    return answer


def ask_for(spec: OcrSpec) -> dict[str, Any]:
    """Return the parameters sent with each page. Source: PaddleX, "Serving", general OCR pipeline."""
    least = {"textRecScoreThresh": spec.least_score} if spec.least_score else {}
    return {**_ORIENTATIONS.get(spec.orientation, {}), **least}


def read_endpoint_answer(answer: Mapping[str, Any], index: int, size: tuple[int, int]) -> PageReading:
    """Parse ``rec_texts``, ``rec_scores`` and ``rec_boxes`` (x0, y0, x1, y1 in pixels). Raises: StageFailed."""
    try:
        lines = tuple(_lines(answer, index, size))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise StageFailed("The model endpoint's response is not in PaddleX format.", code="BadAnswer") from error
    return PageReading(index, lines)


def _lines(answer: Mapping[str, Any], index: int, size: tuple[int, int]) -> Iterator[Line]:
    for result in answer["result"]["ocrResults"]:
        found = result["prunedResult"]
        angle = int((found.get("doc_preprocessor_res") or {}).get("angle", 0))
        for text, score, box in zip(found["rec_texts"], found["rec_scores"], found["rec_boxes"], strict=True):
            if text.strip():
                words = _words(text.split(), _fraction(box, size[::-1] if angle in {90, 270} else size), float(score))
                yield Line(index, tuple(replace(word, box=_turn_back(word.box, angle)) for word in words))


def _fraction(box: Any, size: tuple[int, int]) -> Box:
    x0, y0, x1, y1 = (min(max(float(value) / size[i % 2], 0.0), 1.0) for i, value in enumerate(box))
    return x0, y0, x1, y1


def _turn_back(box: Box, angle: int) -> Box:
    """Return the box on the page as it was sent.

    ``angle``: the counterclockwise rotation that was applied; -1: none.
    """
    x0, y0, x1, y1 = box
    match angle:
        case 90:
            return 1 - y1, x0, 1 - y0, x1
        case 180:
            return 1 - x1, 1 - y1, 1 - x0, 1 - y0
        case 270:
            return y0, 1 - x1, y1, 1 - x0
    return box


def _words(parts: list[str], box: Box, score: float) -> Iterator[Word]:
    """Split a line into words at even character widths, since only its box is known."""
    x0, y0, x1, y1 = box
    unit = (x1 - x0) / (sum(map(len, parts)) + len(parts) - 1)
    position = 0
    for part in parts:
        yield Word(part, (x0 + position * unit, y0, x0 + (position + len(part)) * unit, y1), score)
        position += len(part) + 1
