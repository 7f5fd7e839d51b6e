"""A chat that asks once: the answer to a request about a document is kept beside the document, and given again."""

import dataclasses
import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from config.errors import NotFound
from projects.models.spec import ModelSpec
from workflows.providers.language_models.language_model import Chat, ChatAnswer, ChatRequest
from workflows.stages.usage import Usage
from workflows.storage import files
from workflows.storage.objects import DocumentFiles


@dataclass(frozen=True)
class Retry:
    """Requests whose kept answer could not be taken, by their digests. ``name``: of the retry; its answers are kept."""

    name: str = ""
    refused: frozenset[str] = frozenset()


@dataclass(frozen=True)
class RememberingChat:
    """A Chat. ``before_asking`` may raise to keep a request from being sent; ``on_answer`` is told what was paid for.

    ``sent`` is given the digest of each request, one for each call. ``retry``: what is asked again, once in each retry.

    An answer that arrived in a worker that ended before it was kept is asked for again; between the two is one write.
    """

    chat: Chat
    store: DocumentFiles
    before_asking: Callable[[], None]
    on_answer: Callable[[Usage], None]
    sent: list[str] = field(default_factory=list)
    retry: Retry = Retry()

    @property
    def spec(self) -> ModelSpec:
        return self.chat.spec

    @property
    def largest_image(self) -> int:
        return self.chat.largest_image

    def ask(self, request: ChatRequest) -> ChatAnswer:
        """
        Raises:
            StageFailed: the service refuses the request.
            ProviderPaused: it does not answer.
            Conflict: ``before_asking`` says that another worker does this.

        """
        digest = digest_request(self.spec, request)
        self.sent.append(digest)
        asks_again, name = digest in self.retry.refused, files.kept_answer(digest)
        try:
            kept = json.loads(self.store.read(name))
        except NotFound:
            kept = None
        if kept and not (asks_again and kept.get("retry") != self.retry.name):
            return _answer_from(kept)
        self.before_asking()
        answer = self.chat.ask(request)
        write = self.store.write if asks_again else self.store.write_new
        write(name, _to_bytes(answer, self.retry.name), "application/json")
        self.on_answer(answer.usage)
        return answer


def digest_request(spec: ModelSpec, request: ChatRequest) -> str:
    """The same for two requests that a model cannot tell apart: by its parameters and everything that it is sent."""
    image = hashlib.sha256(request.image).hexdigest() if request.image else ""
    refused = [(answer.turn, problem) for answer, problem in request.refused]
    sent = [
        spec.sha256,
        request.prompt.instructions,
        request.prompt.message,
        request.most,
        image,
        request.tool,
        refused,
    ]
    return hashlib.sha256(json.dumps(sent, sort_keys=True, default=dict).encode()).hexdigest()


def _to_bytes(answer: ChatAnswer, retry: str) -> bytes:
    kept = {"version": 1, "retry": retry, "answer": dataclasses.asdict(answer)}
    return json.dumps(kept, ensure_ascii=False).encode()


def _answer_from(kept: Mapping[str, Any]) -> ChatAnswer:
    stored = kept["answer"]
    return ChatAnswer(**{**stored, "usage": Usage(**stored["usage"])})
