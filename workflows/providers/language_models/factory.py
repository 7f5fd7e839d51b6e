"""Construction of a chat with any model of a site's catalogue, and of the language model on top of it."""

import hashlib
import os
import time
from collections.abc import Callable
from dataclasses import dataclass

from django.conf import settings

from config import aws
from config.errors import Misconfigured, ProviderPaused, StageFailed
from config.laptop import embedded_model, locks
from config.phrase import Sentence
from projects.models.spec import BEDROCK, EMBEDDED, OPENAI, ModelSpec
from projects.prompts.book import PromptBook
from workflows.providers import actions as provider_actions
from workflows.providers.calls import Caller, Provider
from workflows.providers.language_models.bedrock import BEDROCK as BEDROCK_PROVIDER
from workflows.providers.language_models.bedrock import Converse
from workflows.providers.language_models.language_model import (
    Chat,
    ChatAnswer,
    ChatRequest,
    LanguageModel,
    Record,
    record_nothing,
)
from workflows.stages.usage import Note, ignore_usage

NOT_INSTALLED = Sentence("The embedded model is not installed. Run `make demo-model`, or choose another model.")


_BUSY_SECONDS = 5.0
_LOOK = 0.05  # seconds


def _do_nothing() -> None:
    """The default heartbeat, if there is no claim to renew."""


def make_chat(spec: ModelSpec, heartbeat: Callable[[], None] = _do_nothing) -> Chat:
    """Build a chat, without calling the service.

    Raises: StageFailed if its endpoint is not configured or its provider unknown.
    """
    return _InTurn(_make_own_chat(spec, heartbeat), heartbeat)


def _make_own_chat(spec: ModelSpec, heartbeat: Callable[[], None]) -> Chat:
    if spec.provider == BEDROCK:
        # Built-in models have the same timeout as other services: they share their client.
        client = aws.provider_client("bedrock-runtime", spec.seconds)
        return Converse(client, spec, _make_caller(BEDROCK_PROVIDER, spec, heartbeat))
    if spec.provider == OPENAI:
        return _make_openai_chat(spec, heartbeat)
    if spec.provider == EMBEDDED:
        return _make_embedded_chat(spec, heartbeat)
    # A run pins its models, possibly by a version that knew more providers.
    raise StageFailed(f"{spec.name} has a provider this version does not know. Choose another model.", code="NotSet")


def _make_caller(provider: Provider, spec: ModelSpec, heartbeat: Callable[[], None]) -> Caller:
    """Renew the claim between tries: each may take almost as long as the message's visibility timeout."""

    def wait(seconds: float) -> None:
        heartbeat()
        time.sleep(seconds)

    return Caller(provider, provider_actions, spec.retries + 1, sleep=wait)


def _make_openai_chat(spec: ModelSpec, heartbeat: Callable[[], None]) -> Chat:
    from workflows.providers.language_models import openai_chat  # noqa: PLC0415 - its client takes a second to import

    endpoint = settings.MODEL_ENDPOINTS.get(spec.endpoint)
    if endpoint is None:
        raise StageFailed(
            f"The endpoint {spec.endpoint} of {spec.name} is not set up. Add it to COUNTERSIGN_MODEL_ENDPOINTS, or "
            "choose another model.",
            code="NotSet",
        )
    client = openai_chat.make_client(endpoint.url, endpoint.key, spec.seconds)
    return openai_chat.OpenAIChat(client, spec, _make_caller(openai_chat.make_provider(spec), spec, heartbeat))


def _make_embedded_chat(spec: ModelSpec, heartbeat: Callable[[], None]) -> Chat:
    from workflows.providers.language_models import openai_chat  # noqa: PLC0415 - as above

    if not embedded_model.is_installed():
        raise StageFailed(NOT_INSTALLED, code="NotSet")
    path = embedded_model.socket_of(settings.STATE_DIR)

    def prepare() -> None:
        try:
            embedded_model.wait_until_ready(path)
        except Misconfigured as error:
            raise StageFailed(str(error), code="NotSet") from error

    client = openai_chat.make_socket_client(path, spec.seconds)
    call = _make_caller(openai_chat.make_provider(spec), spec, heartbeat)
    return openai_chat.OpenAIChat(client, spec, call, prepare, heartbeat)


def make_model(
    spec: ModelSpec,
    book: PromptBook,
    *,
    takeover: ModelSpec | None = None,
    note: Note = ignore_usage,
    record: Record = record_nothing,
    heartbeat: Callable[[], None] = _do_nothing,
) -> LanguageModel:
    """``takeover``: used if ``spec`` is less confident than its ``takeover_below``.

    ``heartbeat``: called before each request, between tries, and while a slow model writes.

    Raises: StageFailed if an endpoint is not configured here.
    """
    second = make_chat(takeover, heartbeat) if takeover else None
    return LanguageModel(make_chat(spec, heartbeat), book, second, note, record)


@dataclass(frozen=True)
class _InTurn:
    """A chat with a limit of concurrent requests from this machine, across processes.

    The kernel keeps count with file locks, which are released if a process is killed.
    """

    chat: Chat
    heartbeat: Callable[[], None]

    @property
    def spec(self) -> ModelSpec:
        return self.chat.spec

    @property
    def largest_image(self) -> int:
        return self.chat.largest_image

    def ask(self, request: ChatRequest) -> ChatAnswer:
        self.heartbeat()
        lock = self._wait_for_turn()
        try:
            return self.chat.ask(request)
        finally:
            os.close(lock)

    def _wait_for_turn(self) -> int:
        """Raises: ProviderPaused after as long as a request may take."""
        spec = self.spec
        # By service and model, since two sites may give the same id to different models.
        name = hashlib.sha256(f"{spec.service} {spec.model}".encode()).hexdigest()[:16]
        deadline = time.monotonic() + spec.seconds
        while True:
            for place in range(spec.at_a_time):
                if (lock := locks.hold_lock(settings.STATE_DIR / "turns" / f"{name}-{place}")) is not None:
                    return lock
            if time.monotonic() > deadline:
                busy = Sentence("%(model)s is busy with %(requests)s requests.")
                sentence = ProviderPaused.RESUMES.fill(reason=busy.fill(model=spec.name, requests=spec.at_a_time))
                raise ProviderPaused(sentence, provider=spec.service, seconds=_BUSY_SECONDS)
            time.sleep(_LOOK)
            self.heartbeat()
