"""A newcomer's first day: ``make demo`` as it is, every way in, one file of every kind, and nobody inside who helps.

``make smoke`` runs it. Nothing here calls a task, an action or a row of ours: pages, API and commands say how it went.
"""

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests import engines
from tests.commands.desk import overrides
from tests.smoke import ways
from tests.smoke.deciding import decide, reviewer
from tests.smoke.demo import Demo
from tests.smoke.outsiders import OtherSystem, Person, Program
from tests.smoke.watching import follow, look
from tests.smoke.ways import Papers, Round

pytestmark = [
    pytest.mark.slow,
    pytest.mark.processes,
    pytest.mark.skipif(os.environ.get("SMOKE") != "1", reason="SMOKE is not set: make smoke, it takes minutes"),
]
STEP_FUNCTIONS, CELERY = "stepfunctions", "celery"
# What a killed worker had comes back after a minute or two on a desk as it is set by itself; what Redis had just given
# it and it had not noted yet, after five. Here somewhat sooner.
SOONER = overrides(QUEUE_VISIBILITY_SECONDS=30, STEP_LEASE_SECONDS=20, MESSAGE_LOST_SECONDS=90)
ADDRESS = "14 Lantern Street, Northbridge NB2 4QT"
DECIDED = "page-jpg.jpg"  # a photo, of which a person has to look at the address
_COMPLAINTS = 15  # of each process, the last ones
KILLED = {"steps": 2, "slices": 1}  # by worker, how often


@pytest.fixture(params=[STEP_FUNCTIONS, CELERY])
def engine(request: pytest.FixtureRequest) -> Iterator[Callable[[str], dict[str, str]]]:
    """A desk's environment by the desk's name; what it leaves on the shared Redis is forgotten."""
    if request.param == STEP_FUNCTIONS:
        yield lambda _name: {"COUNTERSIGN_ENGINE": STEP_FUNCTIONS}
        return
    engines.require("redis")
    prefix = f"{engines.PREFIX}smoke-"
    chosen = {"COUNTERSIGN_ENGINE": CELERY, "COUNTERSIGN_BROKER_URL": engines.URLS["redis"]}
    yield lambda name: chosen | {"COUNTERSIGN_BROKER_PREFIX": f"{prefix}{name}-"}
    engines.forget("redis", prefix)


@pytest.mark.timeout(1500)
@pytest.mark.parametrize("killing", [False, True], ids=["undisturbed", "killed"])
def test_every_file_that_comes_in_ends(
    engine: Callable[[str], dict[str, str]], tmp_path: Path, *, killing: bool
) -> None:
    settings = engine("demo") | (SOONER if killing else {})
    name, began = settings["COUNTERSIGN_ENGINE"], time.monotonic()
    demo = Demo(tmp_path / "demo", **settings)
    round_: Round | None = None
    try:
        up = demo.start()
        round_ = arrive(demo, Papers(tmp_path / "papers"))
        hand_in(round_, engine, by_itself=name == STEP_FUNCTIONS)
        if killing:
            kill_workers(round_)
        follow(round_)
        assert round_.ledger.problems() == []
        a_person_decides(round_, machines_ask=name == STEP_FUNCTIONS)
        assert demo.stop() == 0
    finally:
        demo.end()
        for command in round_.commands if round_ else ():
            command.end()
        if round_:
            explain(round_)
            took = f"up after {up:.0f} s, everything after {time.monotonic() - began:.0f} s"
            how = "the steps worker killed twice, the slices worker once" if killing else "undisturbed"
            print(f"\n\n{round_.ledger.table(f'{name}, {how} ({took})')}\n")
    assert round_.ledger.problems() == []
    assert demo.said.count("exited with code -9; restarting.") == (sum(KILLED.values()) if killing else 0)
    assert all(f"worker-{worker} exited with code -9" in demo.said for worker in KILLED if killing)
    if not killing:
        assert [worker for worker, log in demo.logs().items() if "Traceback" in log] == []


def explain(round_: Round) -> None:
    """What the demo's processes complained of, where something did not end as it should."""
    if not round_.ledger.problems():
        return
    for name, log in round_.demo.logs().items():
        lines = [line for line in log.splitlines() if '"level": "error"' in line or '"level": "warning"' in line]
        for line in lines[-_COMPLAINTS:]:
            print(f"{name}: {line[:1000]}")


def arrive(demo: Demo, papers: Papers) -> Round:
    """An admin signs in and makes a key for a program."""
    person = Person(demo.web)
    person.sign_in("admin", demo.password("admin"))
    return Round(demo, person, Program(demo.web, person.make_key()), OtherSystem(demo.aws), papers)


def hand_in(round_: Round, engine: Callable[[str], dict[str, str]], *, by_itself: bool) -> None:
    """``by_itself``: whether S3's events start a machine; on the other engine a batch has every kind in its place."""
    assert len(round_.demo.samples) >= 3, round_.demo.said
    for number, name in enumerate(round_.demo.samples, start=1):
        kind, limit = f"sample {number}", round_.limits.document
        round_.ledger.hand_in("demo", kind, name, limit=limit, began=round_.demo.began)
    look(round_)
    ways.by_process_alone(round_, **engine("alone"))
    if by_itself:
        ways.by_bucket(round_)
    else:
        round_.ledger.absent |= {
            "bucket": "not on this engine, as its page says; a batch takes one of every kind instead",
            "desk-intake": "not on this engine, which has no state machines; programs ask by the API",
        }
    ways.by_zip(round_)
    ways.by_mail(round_)
    ways.by_json_batch(round_)
    ways.by_csv_batch(round_, ways.SOME if by_itself else ())
    ways.by_page(round_)
    ways.by_api(round_)
    ways.by_process_beside(round_)


def kill_workers(round_: Round) -> None:
    """While archives are taken apart, and in the middle of the rest, with the one beside it."""
    for share, names in ((0.9, ("steps",)), (0.6, ("steps", "slices"))):
        follow(round_, until=int(share * len(round_.ledger.entries)))
        for name in names:
            round_.demo.kill(name)


def a_person_decides(round_: Round, *, machines_ask: bool) -> None:
    """In the page and in no other way: a document, and the questions of other systems."""
    if machines_ask:
        ways.by_desk_intake(round_)
    ways.by_api_question(round_)
    with reviewer(round_.demo.web, round_.demo.password("rosa")) as page:
        for name in round_.questions:
            decide(page, round_.demo.web, name, iban="DE02120300000000202051")
        decide(page, round_.demo.web, DECIDED, address=ADDRESS)
    round_.ledger.decide(DECIDED)
    follow(round_)
