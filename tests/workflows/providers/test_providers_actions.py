"""The circuit breaker that all workers share, on the table; every race has its loser."""

import datetime as dt
from concurrent.futures import ThreadPoolExecutor

import pytest

from config import clock
from config import table as keys
from config.errors import ProviderPaused
from workflows.providers import actions as provider_actions
from workflows.providers import queries as providers_queries
from workflows.providers.items import ProviderState


@pytest.fixture(autouse=True)
def state(table, settings):
    settings.PROVIDER_FAILURES = 3
    settings.PROVIDER_PAUSE_SECONDS = 60
    settings.PROVIDER_PAUSE_MAX_SECONDS = 200
    settings.PROVIDER_LOOK_SECONDS = 5
    provider_actions.forget_provider_state()
    yield
    provider_actions.forget_provider_state()


def row() -> ProviderState:
    return ProviderState.load(keys.PROVIDER_STATE.key("default", provider="bedrock"))


def fail(times: int) -> float:
    seconds = 0.0
    for _ in range(times):
        seconds = provider_actions.record_failure("bedrock", "ThrottlingException")
    return seconds


def let_it_pass() -> None:
    """The pause is over."""
    past = clock.iso(clock.now() - dt.timedelta(seconds=1))
    ProviderState.change(row().key, [ProviderState.open_until.set(past)], ProviderState.PK.exists())
    provider_actions.forget_provider_state()


def another_worker() -> None:
    provider_actions.forget_provider_state()


def test_what_never_failed_is_let_through_and_costs_one_read_for_a_while(table):
    for _ in range(3):
        provider_actions.admit_call("bedrock")
        provider_actions.record_success("bedrock")
    (state,) = providers_queries.provider_states()
    assert (int(state.failures), state.open_until) == (0, None)


def test_some_failures_in_a_row_do_not_stop_it():
    assert fail(2) == 5.0
    provider_actions.admit_call("bedrock")
    assert (int(row().failures), row().open_until, row().message) == (2, None, "ThrottlingException")


def test_too_many_in_a_row_stop_it_for_all_workers():
    assert fail(3) == 60.0
    for _ in range(2):
        with pytest.raises(ProviderPaused, match="ThrottlingException 3 times in a row") as raised:
            provider_actions.admit_call("bedrock")
        assert 55 < raised.value.seconds <= 60
        another_worker()
    provider_actions.admit_call("textract")  # another service is not concerned


def test_a_call_that_goes_through_sets_the_count_back():
    fail(2)
    provider_actions.record_success("bedrock")
    assert (int(row().failures), row().open_until) == (0, None)
    assert fail(2) == 5.0


def test_a_call_that_began_before_does_not_make_the_pause_longer():
    fail(3)
    until = row().open_until
    assert 55 < fail(4) <= 60
    assert (row().open_until, int(row().openings)) == (until, 1)


def test_of_several_that_fail_at_once_one_opens_it():
    fail(2)
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda _: provider_actions.record_failure("bedrock", "x"), range(8)))
    assert (int(row().failures), int(row().openings)) == (10, 1)


def test_opening_is_given_up_where_a_call_went_through_meanwhile():
    fail(3)
    let_it_pass()
    seen = row()  # about to open it again ...
    provider_actions.record_success("bedrock")
    assert provider_actions._open_circuit(seen, clock.now()) == 5.0
    assert row().open_until is None


def test_after_the_pause_one_worker_tries_and_the_others_wait():
    fail(3)
    let_it_pass()
    provider_actions.admit_call("bedrock")
    another_worker()
    with pytest.raises(ProviderPaused) as raised:
        provider_actions.admit_call("bedrock")
    assert raised.value.seconds == 5.0
    provider_actions.record_success("bedrock")
    another_worker()
    provider_actions.admit_call("bedrock")
    assert (int(row().failures), int(row().openings), row().opened_at, row().probe_until) == (0, 0, None, None)


def test_of_many_workers_one_may_try():
    fail(3)
    let_it_pass()

    def attempt(_: int) -> bool:
        try:
            provider_actions.admit_call("bedrock")
        except ProviderPaused:
            return False
        return True

    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(attempt, range(8))) == 1


def test_a_worker_that_died_while_it_tried_is_followed_by_another():
    fail(3)
    let_it_pass()
    provider_actions.admit_call("bedrock")
    past = clock.iso(clock.now() - dt.timedelta(seconds=1))
    ProviderState.change(row().key, [ProviderState.probe_until.set(past)], ProviderState.PK.exists())
    another_worker()
    provider_actions.admit_call("bedrock")


@pytest.mark.parametrize(("times", "seconds"), [(1, 120.0), (2, 200.0), (5, 200.0)])
def test_each_pause_is_twice_as_long_up_to_a_bound(times, seconds):
    fail(3)
    for _ in range(times):
        let_it_pass()
        provider_actions.admit_call("bedrock")
        found = provider_actions.record_failure("bedrock", "ThrottlingException")
    assert found == seconds


def test_when_it_began_is_kept_while_it_lasts():
    fail(3)
    began = row().opened_at
    let_it_pass()
    provider_actions.admit_call("bedrock")
    fail(1)
    assert row().opened_at == began
    assert [one.provider for one in providers_queries.provider_states()] == ["bedrock"]


def test_another_workers_finding_is_believed_after_a_moment(settings):
    provider_actions.admit_call("bedrock")
    fail_elsewhere = provider_actions._known.copy()
    fail(3)
    provider_actions._known.update(fail_elsewhere)  # this process read it before
    provider_actions.admit_call("bedrock")
    settings.PROVIDER_LOOK_SECONDS = 0
    with pytest.raises(ProviderPaused):
        provider_actions.admit_call("bedrock")
