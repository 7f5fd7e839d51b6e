"""The circuit breaker of external services, shared by all workers.

closed → (``PROVIDER_FAILURES`` consecutive failures) → open until an instant → half open: one caller may probe → closed
if that succeeds, else open for twice as long. A failed call has been retried already.
"""

import contextlib
import datetime as dt
import logging
import time

from django.conf import settings
from pynamodb.expressions.update import Action

from config import clock, table
from config.errors import Conflict, NotFound, ProviderPaused
from config.phrase import Sentence
from config.table import InvalidKey, Key
from config.transaction import Update, transact
from projects.audit.events import Actor, entity_event
from workflows.providers.items import ProviderState

log = logging.getLogger(__name__)

_WORKED_AGAIN = dt.timedelta(minutes=10)  # between two records of a successful call
# Cached by process, so that a page of a document costs no read: provider → (read at, state).
_known: dict[str, tuple[float, ProviderState | None]] = {}


def admit_call(provider: str) -> None:
    """Let a call through, or claim the right to probe.

    Raises:
        ProviderPaused: the circuit is open.

    """
    state = _state(provider)
    if state is None or not state.open_until:
        return
    now = clock.now()
    until = clock.parse(state.open_until)
    if until > now:
        raise make_provider_paused(provider, state, (until - now).total_seconds())
    probe = clock.iso(now + dt.timedelta(seconds=settings.PROVIDER_PROBE_SECONDS))
    nobody = ProviderState.probe_until.does_not_exist() | (ProviderState.probe_until < clock.iso(now))
    try:
        ProviderState.change(
            _key(provider),
            [ProviderState.probe_until.set(probe)],
            (ProviderState.open_until == state.open_until) & nobody,
        )
    except Conflict as error:
        forget_provider_state(provider)
        raise make_provider_paused(provider, state, settings.PROVIDER_LOOK_SECONDS) from error
    log.info("provider is tried again", extra={"provider": provider})


def record_failure(provider: str, error: str) -> float:
    """Count a call that failed after its retries; return how many seconds to pause."""
    now = clock.now()
    state = ProviderState.change(
        _key(provider),
        [
            ProviderState.failures.add(1),
            ProviderState.provider.set(provider),
            ProviderState.message.set(error[:200]),
            ProviderState.failed_at.set(clock.iso(now)),
        ],
        # always true on purpose: counting must not depend on what exists
        ProviderState.failures.does_not_exist() | ProviderState.failures.exists(),
    )
    forget_provider_state(provider)
    if int(state.failures) < settings.PROVIDER_FAILURES:
        return float(settings.PROVIDER_LOOK_SECONDS)
    if state.open_until and state.open_until > clock.iso(now):  # this call began before the circuit opened
        return (clock.parse(state.open_until) - now).total_seconds()
    return _open_circuit(state, now)


def _open_circuit(state: ProviderState, now: dt.datetime) -> float:
    """Open the circuit; of concurrent callers, one does. Return the seconds until it half-opens."""
    doubled = settings.PROVIDER_PAUSE_SECONDS * 2 ** min(int(state.openings), 10)
    pause = min(doubled, settings.PROVIDER_PAUSE_MAX_SECONDS)
    until = clock.iso(now + dt.timedelta(seconds=pause))
    actions = [
        ProviderState.open_until.set(until),
        ProviderState.openings.add(1),
        ProviderState.probe_until.remove(),
    ]
    if not state.opened_at:
        actions.append(ProviderState.opened_at.set(clock.iso(now)))
    closed = ProviderState.open_until.does_not_exist() | (ProviderState.open_until <= clock.iso(now))
    try:
        # a concurrent successful call has reset the count: then it stays closed
        ProviderState.change(state.key, actions, closed & (ProviderState.failures >= settings.PROVIDER_FAILURES))
    except Conflict:
        return float(settings.PROVIDER_LOOK_SECONDS)
    log.warning("provider is left alone", extra={"provider": state.provider})
    return float(pause)


def record_success(provider: str) -> None:
    """Reset the failures after a successful call. Writes if there were any, and else every few minutes."""
    state, now = _state(provider), clock.now()
    troubled = state is not None and bool(state.failures or state.refused_at)
    if not troubled and state and state.worked_at and now - clock.parse(state.worked_at) < _WORKED_AGAIN:
        return
    actions: list[Action] = [ProviderState.provider.set(provider), ProviderState.worked_at.set(clock.iso(now))]
    if troubled:
        actions += [*_close_circuit(), ProviderState.refused_at.remove()]
        still = (ProviderState.failures > 0) | ProviderState.refused_at.exists()
    else:  # failures recorded meanwhile stay counted
        still = ProviderState.failures.does_not_exist() | (ProviderState.failures == 0)
    with contextlib.suppress(Conflict):  # another call succeeded, too
        ProviderState.change(_key(provider), actions, still)
    forget_provider_state(provider)


def record_refusal(provider: str, error: str) -> None:
    """Record that it denies access. Nothing is counted, as no later call would be let in either."""
    now = clock.iso(clock.now())
    ProviderState.change(
        _key(provider),
        [
            *_close_circuit(),
            ProviderState.provider.set(provider),
            ProviderState.message.set(error[:200]),
            ProviderState.failed_at.set(now),
            ProviderState.refused_at.set(now),
        ],
        ProviderState.refused_at.does_not_exist() | ProviderState.refused_at.exists(),  # unconditional
    )
    forget_provider_state(provider)


def _close_circuit() -> list[Action]:
    gone = (ProviderState.open_until, ProviderState.probe_until, ProviderState.opened_at, ProviderState.openings)
    return [ProviderState.failures.set(0), *(attribute.remove() for attribute in gone)]


def make_provider_paused(provider: str, state: ProviderState, seconds: float) -> ProviderPaused:
    sentence = Sentence("Returned %(message)s %(failures)s times in a row; paused before the next retry.").fill(
        message=state.message, failures=int(state.failures)
    )
    return ProviderPaused(sentence, provider=provider, seconds=max(seconds, 1.0))


def retry_provider(provider: str, *, by: Actor) -> ProviderState:
    """End the pause, so that the next call probes; recorded in the audit log.

    Raises:
        NotFound: nothing is known of such a service.
        Conflict: it is not paused, or a call succeeded meanwhile.

    """
    try:
        state = ProviderState.load(_key(provider))
    except InvalidKey as error:
        raise NotFound("Connection not found.") from error
    now = clock.iso(clock.now())
    actions = [ProviderState.open_until.set(now), ProviderState.probe_until.remove()]
    event = entity_event(
        table.DEFAULT_SITE, "provider", provider, "retried", by=by, payload={"failures": state.failures}
    )
    try:
        paused = (ProviderState.open_until == state.open_until) & (ProviderState.open_until > now)
        transact([Update(state.key, actions, paused, of=ProviderState)], event)
    except Conflict as error:
        raise Conflict("This connection is not paused. Nothing was changed.") from error
    forget_provider_state(provider)
    return state


def forget_provider_state(provider: str | None = None) -> None:
    """Drop the cached state of a provider, or of all."""
    if provider is None:
        _known.clear()
    else:
        _known.pop(provider, None)


def _state(provider: str) -> ProviderState | None:
    read_at, state = _known.get(provider, (float("-inf"), None))
    if time.monotonic() - read_at < settings.PROVIDER_LOOK_SECONDS:
        return state
    try:
        state = ProviderState.load(_key(provider))
    except NotFound:
        state = None
    _known[provider] = (time.monotonic(), state)
    return state


def _key(provider: str) -> Key:
    return table.PROVIDER_STATE.key(table.DEFAULT_SITE, provider=provider)
