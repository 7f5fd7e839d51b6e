"""Models at endpoints with OpenAI's chat completions API: OpenAI, Azure, vLLM, Ollama, LM Studio, llama.cpp.

Missing features are replaced: JSON schemas by a tool, tools by words.
"""

import base64
import functools
import json
import re
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import openai

from config import logs
from config.errors import StageFailed, Unavailable
from config.phrase import Sentence
from projects.models.spec import EMBEDDED, MODEL_PROVIDERS, ModelSpec
from workflows.providers.calls import Caller, Provider
from workflows.providers.language_models.language_model import (
    CONTEXT_EXCEEDED,
    CUT_OFF,
    ChatAnswer,
    ChatRequest,
    describe_correction,
    measure_call,
)
from workflows.providers.language_models.worded_schema import describe_schema, find_json

_lock = threading.Lock()
_MOST_BYTES = 4 * 1024 * 1024  # bytes of an answer, which is text of a few thousand tokens
_WORTH_A_RETRY = frozenset({408, 409, 425, 429})
_TOO_LONG = frozenset({"context_length_exceeded", "exceed_context_size_error"})
_LONGEST_TEXT, _LONGEST_LIST = 160, 5  # characters and items that the embedded model may write
_SHARES = [step / 20 for step in range(21)]
_FILTERED = Sentence("The model's content filter blocked this page. Review it manually.")
_BY_SCHEMA = "\n\nThe tool is your answer: one JSON object and nothing else."
# Newer OpenAI models refuse both; older servers know only the first name.
_REFUSABLE = frozenset({"max_tokens", "temperature"})
_UNSUPPORTED = re.compile(r"unsupported (?:parameter|value): '(\w+)'", re.IGNORECASE)
_untaken: dict[tuple[str, str], frozenset[str]] = {}  # by address and model, cached in this process


def make_client(url: str, key: str, seconds: int) -> openai.OpenAI:
    """It follows no redirects: documents are only sent to the address that the deployer allowed."""
    with _lock:
        return _build_client(url, key, None).with_options(timeout=openai.Timeout(seconds, connect=3.0))


def make_socket_client(path: Path, seconds: int) -> openai.OpenAI:
    """Build the client of a server on a Unix socket."""
    with _lock:
        return _build_client("http://model/v1", "", path).with_options(timeout=openai.Timeout(seconds, connect=3.0))


@functools.cache
def _build_client(url: str, key: str, path: Path | None) -> openai.OpenAI:
    """One client for each endpoint, shared by threads, since it keeps connections open."""
    transport = httpx2.HTTPTransport(uds=str(path)) if path else None
    return openai.OpenAI(
        base_url=url,
        api_key=key or "none",  # it requires one, even if the server does not
        max_retries=0,
        http_client=openai.DefaultHttpxClient(transport=transport, follow_redirects=False),
    )


def make_provider(spec: ModelSpec) -> Provider:
    """Endpoints fail independently, so each is a provider of its own."""
    return Provider(
        spec.service, f"Model endpoint {spec.endpoint}" if spec.endpoint else MODEL_PROVIDERS[spec.provider]
    )


def _do_nothing() -> None:
    """The default: external servers need no start, and tests hold no claim."""


@dataclass(frozen=True)
class OpenAIChat:
    """A Chat with one model of an endpoint. ``client`` never retries: ``call`` does.

    ``prepare`` starts the server, and raises StageFailed if it cannot. ``heartbeat``: called while it writes.
    """

    client: openai.OpenAI
    spec: ModelSpec
    call: Caller
    prepare: Callable[[], None] = _do_nothing
    heartbeat: Callable[[], None] = _do_nothing
    largest_image: int = 15_000_000  # bytes, below the 20 MB that OpenAI takes

    def ask(self, request: ChatRequest) -> ChatAnswer:
        """Send a request.

        Raises:
            StageFailed: the endpoint refuses the request.
            ProviderPaused: it does not answer.

        """
        began = time.monotonic()
        answer = self.call(lambda: self._post(request))
        choice = _first_choice(answer)
        turn = choice.get("message") or {}
        text, counted = str(turn.get("content") or ""), answer.get("usage") or {}
        used = measure_call(
            self.spec,
            tokens_in=_count(counted, "prompt_tokens"),
            tokens_out=_count(counted, "completion_tokens"),
            began=began,
        )
        reason = choice.get("finish_reason")
        arguments = _read_arguments(turn, text, is_cut=reason == "length") if request.tool else None
        is_broken = bool(request.tool) and arguments is None
        stopped = _explain_stop(reason, is_broken=is_broken)
        return ChatAnswer(text, arguments, turn, used, stopped, sent_temperature="temperature" not in self.untaken)

    @property
    def _place(self) -> tuple[str, str]:
        return str(self.client.base_url), self.spec.model

    @property
    def untaken(self) -> frozenset[str]:
        """Return the parameters that this model is known to refuse."""
        return _untaken.get(self._place, frozenset())

    def _post(self, request: ChatRequest) -> Mapping[str, Any]:
        """Raises: Unavailable if a retry may help; StageFailed."""
        self.prepare()
        body = completion_request(self.spec, request, self.untaken)
        try:
            with self.client.chat.completions.with_streaming_response.create(
                **body, extra_headers=logs.request_headers()
            ) as response:
                return self._read_stream(response) if body.get("stream") else _read_body(response)
        except openai.APIStatusError as error:
            name = _refused_parameter(error)
            if name not in _REFUSABLE & body.keys():
                raise self._explain(error) from None  # its message may quote the page
            _untaken[self._place] = self.untaken | {name}
            return self._post(request)
        except (openai.APIConnectionError, httpx2.HTTPError) as error:  # the second one in the middle of an answer
            raise Unavailable(type(error).__name__) from None
        except openai.OpenAIError as error:
            raise StageFailed(
                f"{self.call.provider.label} cannot be asked: {type(error).__name__}.", code="Client"
            ) from None

    def _read_stream(self, response: Any) -> Mapping[str, Any]:
        """Assemble a completion from its chunks: a slow model is awaited while it keeps writing."""
        text, reason = "", None
        counted: Mapping[str, Any] = {}
        for line in response.iter_lines():
            self.heartbeat()
            if not line.startswith("data: {"):
                continue
            piece = json.loads(line.removeprefix("data: "))
            counted = piece.get("usage") or counted
            for choice in piece.get("choices") or ():
                text += choice["delta"].get("content") or ""
                reason = choice.get("finish_reason") or reason
        turn = {"role": "assistant", "content": text}
        return {"choices": [{"message": turn, "finish_reason": reason}], "usage": counted}

    def _explain(self, error: openai.APIStatusError) -> Unavailable | StageFailed:
        where, status, code = self.call.provider.label, error.status_code, _code_of(error)
        if code == "insufficient_quota":
            return StageFailed(f"{where} has no credit left. Add some there, then re-run the document.", code="403")
        if status >= 500 or status in _WORTH_A_RETRY:
            return Unavailable(f"HTTP {status}")
        if status in {401, 403}:
            name = f"COUNTERSIGN_MODEL_KEY_{self.spec.endpoint.upper()}"
            return StageFailed(f"{where} does not accept its key. Check {name}.", code=str(status))
        if status == 404:
            return StageFailed(f"{where} has no model {self.spec.model}. Check its name.", code="404")
        if code in _TOO_LONG:
            return StageFailed(
                f"The page is longer than {self.spec.name} can read. Lower its context length to what the endpoint "
                "has, or choose another model.",
                code=CONTEXT_EXCEEDED,
            )
        return StageFailed(
            f"{where} rejected the request: HTTP {status}. Check what this model can do in the catalogue.",
            code=str(status),
        )


def completion_request(spec: ModelSpec, request: ChatRequest, untaken: frozenset[str] = frozenset()) -> dict[str, Any]:
    """Return the parameters of ``chat.completions.create``. ``untaken``: parameters to omit.

    Source: OpenAI, "Create chat completion".
    """
    tool = request.tool
    worded = tool is not None and not spec.json_schema and not spec.tools
    system = request.prompt.instructions
    if tool is not None and worded:
        system += describe_schema(tool)
    elif tool is not None and spec.json_schema:
        system += _BY_SCHEMA
    turns: list[dict[str, Any]] = [
        {"role": "system", "content": system},
        {"role": "user", "content": _content(request)},
    ]
    for answer, problem in request.refused:
        turns += _refuse(answer, problem)
    body: dict[str, Any] = {
        "model": spec.model,
        "messages": turns,
        "max_completion_tokens" if "max_tokens" in untaken else "max_tokens": request.most,
    }
    if "temperature" not in untaken:
        body["temperature"] = spec.temperature
    if spec.provider == EMBEDDED:  # not for others: not all report usage then
        body |= {"stream": True, "stream_options": {"include_usage": True}}
    if tool is None or worded:
        return body
    schema = tool["inputSchema"]["json"]
    if spec.json_schema:
        schema = _shorten(schema) if spec.provider == EMBEDDED else schema
        bound = {"name": tool["name"], "schema": _step_shares(schema)}
        body["response_format"] = {"type": "json_schema", "json_schema": bound}
    else:
        function = {"name": tool["name"], "description": tool["description"], "parameters": schema}
        body["tools"] = [{"type": "function", "function": function}]
        body["tool_choice"] = {"type": "function", "function": {"name": tool["name"]}}
    return body


def _step_shares(schema: Any) -> Any:
    """Replace each number from 0 to 1 by one of 21 values: llama.cpp's grammar supports no ranges."""
    if isinstance(schema, Mapping):
        if (schema.get("minimum"), schema.get("maximum")) == (0, 1):
            return {"enum": _SHARES, "description": schema.get("description", "")}
        return {name: _step_shares(value) for name, value in schema.items()}
    return [_step_shares(one) for one in schema] if isinstance(schema, list) else schema


def _shorten(schema: Any) -> Any:
    """Keep what is required, with a maximum length for every text and list.

    A very small model writes slowly, and does not stop by itself.
    """
    if isinstance(schema, list):
        return [_shorten(one) for one in schema]
    if not isinstance(schema, Mapping):
        return schema
    if isinstance(schema.get("required"), list):
        schema = {**schema, "properties": {name: schema["properties"][name] for name in schema["required"]}}
    short = {name: _shorten(value) for name, value in schema.items()}
    if schema.get("type") == "string" and not {"enum", "pattern"} & schema.keys():
        short["maxLength"] = _LONGEST_TEXT
    if schema.get("type") == "array":
        short["maxItems"] = _LONGEST_LIST
    return short


def _content(request: ChatRequest) -> str | list[dict[str, Any]]:
    """Send text alone as a string: not every server supports content parts."""
    if not request.image:
        return request.prompt.message
    url = f"data:image/png;base64,{base64.b64encode(request.image).decode()}"
    return [{"type": "image_url", "image_url": {"url": url}}, {"type": "text", "text": request.prompt.message}]


def _refuse(answer: ChatAnswer, problem: str) -> list[dict[str, Any]]:
    """Return its answer and the problem: a tool call has to be answered by its result."""
    calls = answer.turn.get("tool_calls") or []
    turn: dict[str, Any] = {"role": "assistant", "content": answer.text}
    if not calls:
        return [turn, {"role": "user", "content": describe_correction(problem)}]
    words = describe_correction(problem)
    results = [{"role": "tool", "tool_call_id": one["id"], "content": words} for one in calls]
    return [turn | {"tool_calls": calls}, *results]


def _read_arguments(turn: Mapping[str, Any], text: str, *, is_cut: bool) -> Any:
    """Return the arguments of the tool call, else the JSON in the text; None if there is none."""
    for one in turn.get("tool_calls") or ():
        try:
            return json.loads(one["function"]["arguments"])
        except (KeyError, TypeError, ValueError):
            return None
    return find_json(text, inner=not is_cut)  # a complete object inside of a truncated one is not the answer


def _read_body(response: Any) -> Mapping[str, Any]:
    """Raises: StageFailed."""
    body = bytearray()
    for part in response.iter_bytes():
        body += part
        if len(body) > _MOST_BYTES:
            raise StageFailed("The model endpoint's answer is too large.", code="TooLarge")
    try:
        answer = json.loads(bytes(body))
    except ValueError:
        answer = None
    if not isinstance(answer, Mapping):
        raise StageFailed("The model endpoint's response cannot be parsed. Check its address.", code="BadAnswer")
    return answer


def _first_choice(answer: Mapping[str, Any]) -> Mapping[str, Any]:
    """Raises: StageFailed."""
    choices = answer.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], Mapping):
        raise StageFailed(
            "The model endpoint's response is not a chat completion. Check its address.", code="BadAnswer"
        )
    return choices[0]


def _explain_stop(reason: Any, *, is_broken: bool) -> str:
    """Return why the answer is incomplete, or an empty text. ``is_broken``: nothing of it can be parsed."""
    if reason == "content_filter":
        return _FILTERED
    return CUT_OFF if reason == "length" and is_broken else ""


def _count(counted: Mapping[str, Any], name: str) -> int:
    found = counted.get(name)
    return found if isinstance(found, int) else 0


def _refused_parameter(error: openai.APIStatusError) -> str:
    """Return the name of the refused parameter, or empty if it was refused for another reason.

    Proxies often pass on the message only.
    """
    found = _UNSUPPORTED.search(str(_body_of(error).get("message"))) if error.status_code == 400 else None
    return found[1] if found else ""


def _body_of(error: openai.APIStatusError) -> Mapping[str, Any]:
    return error.body if isinstance(error.body, Mapping) else {}


def _code_of(error: openai.APIStatusError) -> str:
    """Return the service's error code: OpenAI's ``code``, llama.cpp's ``type``."""
    body = _body_of(error)
    return next(
        (str(body[name]) for name in ("code", "type") if body.get(name) in {*_TOO_LONG, "insufficient_quota"}), ""
    )
