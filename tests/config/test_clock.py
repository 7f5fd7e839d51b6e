import datetime as dt

from config import clock


def test_stored_instants_sort_as_text_whatever_their_fraction() -> None:
    whole = dt.datetime(2026, 11, 21, 12, tzinfo=dt.UTC)
    assert clock.iso(whole) == "2026-11-21T12:00:00.000000+00:00"
    assert clock.iso(whole) < clock.iso(whole + dt.timedelta(microseconds=1))


def test_another_zone_is_stored_as_the_same_instant() -> None:
    east = dt.datetime(2026, 11, 21, 13, tzinfo=dt.timezone(dt.timedelta(hours=1)))
    assert clock.iso(east) == "2026-11-21T12:00:00.000000+00:00"


def test_older_writers_instants_are_read() -> None:
    noon = dt.datetime(2026, 11, 21, 12, tzinfo=dt.UTC)
    for text in ("2026-11-21T12:00:00Z", "2026-11-21T12:00:00", "2026-11-21T13:00:00+01:00"):
        assert clock.parse(text) == noon


def test_an_id_is_greater_than_the_last_one_of_a_clock_that_runs_ahead() -> None:
    ahead = "7ZZZZZZZZZ0000000000000000"
    following = clock.ulid_after(ahead)
    assert following > ahead
    assert clock.ulid_after(following) > following
