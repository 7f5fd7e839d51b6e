"""Domain errors, a flat list: one class for each way in which a caller reacts.

No botocore or pynamodb error leaves ``config``. Messages tell a person what to do next.
"""

from collections.abc import Iterable

from config.phrase import Sentence


class CountersignError(Exception):
    """Base class; ``str(error)`` may be shown to a person."""


class NotFound(CountersignError):
    """The record does not exist, or this person may not know that it does. Views answer 404."""


class NotAllowed(CountersignError):
    """The person may see the record but not do this. Views answer 403."""


class KeyRefused(CountersignError):
    """The API key is invalid. The API answers 401 without saying why."""


class TooManyTries(CountersignError):
    """Too many attempts, such as passwords. Views answer 429; ``seconds``: how long to wait."""

    def __init__(self, message: str, *, seconds: int) -> None:
        super().__init__(message)
        self.seconds = seconds


class Conflict(CountersignError):
    """A condition did not hold: another change came first. Views answer 409.

    ``failed``: names of the transaction's changes whose conditions did not hold; unnamed ones are left out.
    """

    def __init__(
        self,
        message: str = Sentence("This was changed by another user. Your change was not saved."),
        *,
        failed: frozenset[str] = frozenset(),
    ) -> None:
        super().__init__(message)
        self.failed = failed


class Outdated(CountersignError):
    """The state that a program based its change on (``If-Match``) has changed. The API answers 412."""


class Refused(CountersignError):
    """The input is invalid; the message says why and what to do. Views answer 422.

    ``field``: path of the invalid entry in an API request, if there is one.
    """

    def __init__(self, message: str, *, field: str = "") -> None:
        super().__init__(message)
        self.field = field


class StageFailed(CountersignError):
    """A stage cannot process this document; a retry would not help.

    ``code``: the outside service's error code, if a service refused.
    """

    def __init__(self, message: str, *, code: str = "") -> None:
        super().__init__(message)
        self.code = code


class ProviderPaused(CountersignError):
    """An outside service does not answer and is not called again for ``seconds``. Steps wait for it."""

    RESUMES = Sentence("%(reason)s The run resumes automatically.")

    def __init__(self, message: str, *, provider: str, seconds: float) -> None:
        super().__init__(message)
        self.provider = provider
        self.seconds = seconds

    @property
    def reason(self) -> str:
        """The message without the sentence about what the run does next, for work that gives up."""
        return str(self).removesuffix(str(self.RESUMES.fill(reason="")))


class Tampered(CountersignError):
    """A stored object does not match its recorded SHA-256."""


class ActionFailed(CountersignError):
    """An action after publication failed; a retry would not help, a person has to look."""


class Unavailable(CountersignError):
    """AWS or the emulator does not answer. Transient: tasks retry, views answer 503."""


class TokenClosed(CountersignError):
    """Step Functions refuses the task token: used, timed out or unknown. It does not say who was first."""


class StaleAttempt(CountersignError):
    """The message belongs to an engine attempt that no longer drives the run."""


class Misconfigured(CountersignError):
    """The process cannot start or a resource is missing; the message names the setting or command that fixes it."""


def quote_names(names: Iterable[str]) -> str:
    r"""Quote names from a request for a message: shortened, without unprintable characters.

    >>> quote_names(["colour", "si\x07ze"])
    '“colour”, “size”'
    """
    shown = ("".join(letter for letter in name[:60] if letter.isprintable()) for name in names)
    return ", ".join(f"“{name}”" for name in shown)
