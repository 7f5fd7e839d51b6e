"""The circuit breaker of outside services, shared by all workers: closed, open for a while, then one tries first.

closed → (``PROVIDER_FAILURES`` failed calls in a row) → open until an instant → half open: one caller has the right
to try → closed where it works, open for twice as long where not. A call that failed has been retried already.
"""

import contextlib
import datetime as dt
import logging
import time

from django.conf import settings
from pynamodb.expressions.update import Action

from config import clock, table
from config.errors import Conflict, NotFound, ProviderPaused
from config.table import InvalidKey, Key
from config.transaction import Update, transact
from projects.audit.events import Actor, entity_event
from workflows.providers.items import ProviderState

log = logging.getLogger(__name__)

_WORKED_AGAIN = dt.timedelta(minutes=10)  # since it was noted last that a call went through
# What this process read last, so that a page of a document costs no read of its own: provider → (read at, state).
_known: dict[str, tuple[float, ProviderState | None]] = {}


def admit_call(provider: str) -> None:
    """Let a call through, or take the right to be the first that tries again.

    Raises:
        ProviderPaused: the service is not asked now.

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
    """Count a call that failed in the end; returns how many seconds to leave the service alone."""
    now = clock.now()
    state = ProviderState.change(
        _key(provider),
        [
            ProviderState.failures.add(1),
            ProviderState.provider.set(provider),
            ProviderState.message.set(error[:200]),
            ProviderState.failed_at.set(clock.iso(now)),
        ],
        # always true, and said so: counting must not depend on what is there
        ProviderState.failures.does_not_exist() | ProviderState.failures.exists(),
    )
    forget_provider_state(provider)
    if int(state.failures) < settings.PROVIDER_FAILURES:
        return float(settings.PROVIDER_LOOK_SECONDS)
    if state.open_until and state.open_until > clock.iso(now):  # this call began before the others gave up
        return (clock.parse(state.open_until) - now).total_seconds()
    return _open_circuit(state, now)


def _open_circuit(state: ProviderState, now: dt.datetime) -> float:
    """Of several callers that fail at once one opens it. Returns the seconds it stays open."""
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
        # a call that went through meanwhile has set the count back: then it stays closed
        ProviderState.change(state.key, actions, closed & (ProviderState.failures >= settings.PROVIDER_FAILURES))
    except Conflict:
        return float(settings.PROVIDER_LOOK_SECONDS)
    log.warning("provider is left alone", extra={"provider": state.provider})
    return float(pause)


def record_success(provider: str) -> None:
    """A call went through: whatever was counted is over. Writes if something was, and else every few minutes."""
    state, now = _state(provider), clock.now()
    troubled = state is not None and bool(state.failures or state.refused_at)
    if not troubled and state and state.worked_at and now - clock.parse(state.worked_at) < _WORKED_AGAIN:
        return
    actions: list[Action] = [ProviderState.provider.set(provider), ProviderState.worked_at.set(clock.iso(now))]
    if troubled:
        actions += [*_close_circuit(), ProviderState.refused_at.remove()]
        still = (ProviderState.failures > 0) | ProviderState.refused_at.exists()
    else:  # what failed meanwhile stays counted
        still = ProviderState.failures.does_not_exist() | (ProviderState.failures == 0)
    with contextlib.suppress(Conflict):  # someone else's call went through too
        ProviderState.change(_key(provider), actions, still)
    forget_provider_state(provider)


def record_refusal(provider: str, error: str) -> None:
    """It answers, and does not let us use it: nothing is counted, since no later call would be let in either."""
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
        ProviderState.refused_at.does_not_exist() | ProviderState.refused_at.exists(),  # whatever is there
    )
    forget_provider_state(provider)


def _close_circuit() -> list[Action]:
    gone = (ProviderState.open_until, ProviderState.probe_until, ProviderState.opened_at, ProviderState.openings)
    return [ProviderState.failures.set(0), *(attribute.remove() for attribute in gone)]


def make_provider_paused(provider: str, state: ProviderState, seconds: float) -> ProviderPaused:
    sentence = f"Returned {state.message} {int(state.failures)} times in a row; paused before the next retry."
    return ProviderPaused(sentence, provider=provider, seconds=max(seconds, 1.0))


def retry_provider(provider: str, *, by: Actor) -> ProviderState:
    """End the pause, so that the next call is the one that tries it; the audit says who ordered it.

    Raises:
        NotFound: nothing is known of such a service.
        Conflict: it is not paused, or a call went through meanwhile.

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
    """Read it anew next time; all of them without a name."""
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
