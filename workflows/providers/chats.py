"""A chat with any model of a site's catalogue, and the language model that asks by it."""

from dataclasses import dataclass

from django.conf import settings

from config import aws
from config.errors import Misconfigured, StageFailed
from config.laptop import embedded_model
from projects.models.spec import BEDROCK, OPENAI, ModelSpec
from projects.prompts.book import PromptBook
from workflows.providers import actions as provider_actions
from workflows.providers.bedrock import BEDROCK as BEDROCK_PROVIDER
from workflows.providers.bedrock import Converse
from workflows.providers.calls import Caller, Provider
from workflows.providers.language_model import Chat, ChatAnswer, ChatRequest, LanguageModel, Record, record_nothing
from workflows.stages.usage import Note, ignore_usage

NOT_INSTALLED = "The embedded model is not installed. Run `make demo-model`, or choose another model."


def make_chat(spec: ModelSpec) -> Chat:
    """Building it asks no one. Raises: StageFailed if its endpoint is not set up here."""
    if spec.provider == BEDROCK:
        return Converse(aws.provider_client("bedrock-runtime"), _make_caller(BEDROCK_PROVIDER, spec))
    if spec.provider == OPENAI:
        return _make_openai_chat(spec)
    return _make_embedded_chat(spec)


def _make_caller(provider: Provider, spec: ModelSpec) -> Caller:
    return Caller(provider, provider_actions, spec.retries + 1)


def _make_openai_chat(spec: ModelSpec) -> Chat:
    from workflows.providers import openai_chat  # noqa: PLC0415 - its client takes a second to import

    endpoint = settings.MODEL_ENDPOINTS.get(spec.endpoint)
    if endpoint is None:
        raise StageFailed(
            f"The endpoint {spec.endpoint} of {spec.name} is not set up. Add it to COUNTERSIGN_MODEL_ENDPOINTS, or "
            "choose another model.",
            code="NotSet",
        )
    client = openai_chat.make_client(endpoint.url, endpoint.key, spec.seconds)
    return openai_chat.OpenAIChat(client, spec, _make_caller(openai_chat.make_provider(spec), spec))


def _make_embedded_chat(spec: ModelSpec) -> Chat:
    from workflows.providers import openai_chat  # noqa: PLC0415 - as above

    if not embedded_model.is_installed():
        raise StageFailed(NOT_INSTALLED, code="NotSet")
    path = embedded_model.socket_of(settings.STATE_DIR)

    def prepare() -> None:
        try:
            embedded_model.wait_until_ready(path)
        except Misconfigured as error:
            raise StageFailed(str(error), code="NotSet") from error

    client = openai_chat.make_socket_client(path, spec.seconds)
    return openai_chat.OpenAIChat(client, spec, _make_caller(openai_chat.make_provider(spec), spec), prepare)


def make_model(
    spec: ModelSpec,
    book: PromptBook,
    *,
    takeover: ModelSpec | None = None,
    note: Note = ignore_usage,
    record: Record = record_nothing,
) -> LanguageModel:
    """``takeover``: asked where ``spec`` is less sure than its ``takeover_below``.

    Raises: StageFailed if an endpoint is not set up here.
    """
    chat = make_chat(spec)
    if takeover is not None:
        chat = _Either(chat, spec.model, make_chat(takeover))
    strong = takeover.model if takeover else ""
    return LanguageModel(chat, spec.model, book, strong, spec.takeover_below, note, record)


@dataclass(frozen=True)
class _Either:
    """Two chats, told apart by the model that is asked."""

    first: Chat
    model: str
    second: Chat

    @property
    def service(self) -> str:
        return self.first.service

    @property
    def largest_image(self) -> int:
        """Both are shown the same page."""
        return min(self.first.largest_image, self.second.largest_image)

    def ask(self, model: str, request: ChatRequest) -> ChatAnswer:
        return (self.first if model == self.model else self.second).ask(model, request)
