"""Every domain error, flat: one class per decision that a caller makes.

No botocore or pynamodb error leaves ``config``; a message tells a person what to do next.
"""

from collections.abc import Iterable


class CountersignError(Exception):
    """Base of all; ``str(error)`` may be shown to a person."""


class NotFound(CountersignError):
    """There is no such record, or it is not this person's to know of. Views answer 404."""


class NotAllowed(CountersignError):
    """The person may see this and not do that. Views answer 403."""


class KeyRefused(CountersignError):
    """An API key opens nothing. The API answers 401, and does not tell why."""


class TooManyTries(CountersignError):
    """Something is tried too often in a while, such as passwords. Views answer 429; ``seconds``: to wait."""

    def __init__(self, message: str, *, seconds: int) -> None:
        super().__init__(message)
        self.seconds = seconds


class Conflict(CountersignError):
    """A condition did not hold: another change came first. Views answer 409.

    ``failed``: the names of a transaction's changes whose conditions did not hold, of those that have a name.
    """

    def __init__(
        self,
        message: str = "This was changed by another user. Your change was not saved.",
        *,
        failed: frozenset[str] = frozenset(),
    ) -> None:
        super().__init__(message)
        self.failed = failed


class Outdated(CountersignError):
    """A program named the state that its change is based on, and that state is gone. The API answers 412."""


class Refused(CountersignError):
    """What was sent is not taken, with the sentence that says why and what to do. Views answer 422.

    ``field``: path of what was refused in a program's request, if it is one entry of it.
    """

    def __init__(self, message: str, *, field: str = "") -> None:
        super().__init__(message)
        self.field = field


class StageFailed(CountersignError):
    """A stage cannot do its work on this document, and trying again would not help.

    ``code``: what the outside service calls it, where one refused.
    """

    def __init__(self, message: str, *, code: str = "") -> None:
        super().__init__(message)
        self.code = code


class ProviderPaused(CountersignError):
    """An outside service does not answer, and is not asked again before ``seconds`` have passed. Steps wait for it."""

    RESUMES = " The run resumes automatically."

    def __init__(self, message: str, *, provider: str, seconds: float) -> None:
        super().__init__(message)
        self.provider = provider
        self.seconds = seconds

    @property
    def reason(self) -> str:
        """Without what a run does next, for work that gives up."""
        return str(self).removesuffix(self.RESUMES)


class Tampered(CountersignError):
    """A stored object is not what its recorded sha256 says."""


class ActionFailed(CountersignError):
    """What should follow a publication cannot be done, and trying again would not help; a person has to look."""


class Unavailable(CountersignError):
    """AWS, or the emulator, does not answer now. Transient: tasks retry, views answer 503."""


class TokenClosed(CountersignError):
    """Step Functions no longer takes this token: used, timed out or unknown. Says nothing about who was first."""


class StaleAttempt(CountersignError):
    """The message belongs to an engine attempt that is no longer the run's driver."""


class Misconfigured(CountersignError):
    """The process cannot start or a resource is missing; the message says which setting or command mends it."""


def quote_names(names: Iterable[str]) -> str:
    r"""Names as they were sent, short enough for a sentence and without what does not print.

    >>> quote_names(["colour", "si\x07ze"])
    '“colour”, “size”'
    """
    shown = ("".join(letter for letter in name[:60] if letter.isprintable()) for name in names)
    return ", ".join(f"“{name}”" for name in shown)
