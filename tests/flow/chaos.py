"""A desk on which things break: people upload and decide over HTTP while a seeded hand kills processes."""

import contextlib
import http.client
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from random import Random
from typing import TypeVar

from django.conf import settings

from projects.settings.defaults import DEFAULT_PROJECT_ID
from review.identity import ReviewRef
from review.status import Decision
from tests.flow.invariants import Answer
from tests.flow.processes import LiveDesk
from tests.flow.visitor import Visitor, form_of
from tests.generated.small import SmallPaper

T = TypeVar("T")
_ROW = re.compile(r'href="/review/([^/"]+)/([^/"]+)/" title="([^"]+)"')
_PATIENCE = 0.5  # seconds until a person tries again what did not work
_BREATH = 0.1
_USUAL_BOOT = 3.0  # seconds
_REJECTED = 0.25  # of what is decided


@dataclass
class Hand:
    """Kills a random process every few seconds, as ``kill -9`` does, and starts it again a moment later."""

    desk: LiveDesk
    random: Random
    starts: dict[str, Callable[[], None]]
    pause: tuple[float, float]  # seconds between two strikes, on a machine of usual speed
    boot: float  # seconds that a process takes to come up here
    killed: list[str] = field(default_factory=list)
    began: float = field(default_factory=time.monotonic)

    def strike(self) -> None:
        name = self.random.choice(sorted(self.starts))
        self._note(name)
        self.desk.kill(name)
        time.sleep(self.random.uniform(0, 1))
        self.starts[name]()

    def restart_emulator(self) -> None:
        self._note("emulator in order")
        self.desk.stop_emulator()
        time.sleep(self.random.uniform(0, 1))
        self.desk.start_emulator()

    def wait(self) -> None:
        """On a machine where processes come up slowly a few seconds are more: between its deaths each has to work."""
        time.sleep(self.random.uniform(*self.pause) * max(self.boot / _USUAL_BOOT, 1))

    def _note(self, name: str) -> None:
        self.killed.append(f"{time.monotonic() - self.began:.1f} s {name}")

    def counted(self) -> Counter[str]:
        return Counter(one.partition(" s ")[2] for one in self.killed)


def all_of(desk: LiveDesk) -> dict[str, Callable[[], None]]:
    """Each process of the desk but the search index's worker, which no document waits for; two workers for steps."""
    workers = {"steps1": settings.STEPS_QUEUE, "steps2": settings.STEPS_QUEUE}
    workers |= {"desk": settings.DESK_QUEUE, "sweep": settings.SWEEP_QUEUE}
    starts: dict[str, Callable[[], None]] = {"web": desk.start_web, "beat": desk.start_beat}
    for name, queue in workers.items():
        starts[name] = lambda name=name, queue=queue: desk.start_worker(name, queue)  # type: ignore[misc]
    return starts


@dataclass
class People:
    """One uploads, another decides; each tries again what did not work, as one does whose page did not load.

    ``uploaded``: document ids that the desk said it has; ``answers``: what it said is decided, by document id.
    """

    desk: LiveDesk
    seed: int
    papers: list[SmallPaper]
    each: float  # seconds between two uploads
    left: float = 0.15  # of what waits, which nobody decides
    uploaded: dict[str, str] = field(default_factory=dict)
    answers: dict[str, Answer] = field(default_factory=dict)
    tried_again: Counter[str] = field(default_factory=Counter)
    gone: threading.Event = field(default_factory=threading.Event)
    broke: list[BaseException] = field(default_factory=list)

    @contextlib.contextmanager
    def at_work(self) -> Iterator[None]:
        threads = [threading.Thread(target=self._safely, args=(work,)) for work in (self._upload, self._review)]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            self.gone.set()
            for thread in threads:
                thread.join()
        if self.broke:
            raise self.broke[0]

    def has_uploaded(self) -> bool:
        return len(self.uploaded) == len(self.papers)

    def _safely(self, work: Callable[[], None]) -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001 - raised again where the test sees it
            self.broke.append(error)
            self.gone.set()

    def _signed_in(self) -> Visitor:
        rosa = Visitor(self.desk.web)
        self._again("sign in", lambda: rosa.sign_in("rosa", self.desk.password("rosa")))
        return rosa

    def _again(self, what: str, act: Callable[[], T]) -> T | None:
        """What came of it once it worked; None where it is too late."""
        while not self.gone.is_set():
            try:
                return act()
            except (OSError, http.client.HTTPException, AssertionError, StopIteration):
                self.tried_again[what] += 1
                self.gone.wait(_PATIENCE)
        return None

    def _upload(self) -> None:
        rosa = self._signed_in()
        for paper in self.papers:
            run = self._again("upload", lambda paper=paper: rosa.upload(DEFAULT_PROJECT_ID, paper.path))  # type: ignore[misc]
            if run is None:
                return
            self.uploaded[run.document_id] = paper.name
            self.gone.wait(self.each)

    def _review(self) -> None:
        rosa, passed = self._signed_in(), set[str]()
        while not self.gone.is_set():
            page = self._again("queue", lambda: _page(rosa, "/review/"))
            for document_id, review_id, _ in _ROW.findall(page or ""):
                if document_id not in passed:
                    self._decide(rosa, ReviewRef("default", document_id, review_id), passed)
            self.gone.wait(_BREATH)

    def _decide(self, rosa: Visitor, ref: ReviewRef, passed: set[str]) -> None:
        random = Random(f"{self.seed} {ref.document_id}")
        if random.random() < self.left:
            passed.add(ref.document_id)
            return
        decision = Decision.REJECT if random.random() < _REJECTED else Decision.APPROVE
        answer = Answer(decision, f"{random.randint(100, 99_999) / 100:.2f}")
        form = self._again("claim", lambda: _claimed(rosa, ref))
        if not form:
            return
        status = self._again("decide", lambda: _sent(rosa, ref, form, answer))
        if status == 200:
            self.answers[ref.document_id] = answer
            passed.add(ref.document_id)


def _page(rosa: Visitor, path: str) -> str:
    status, text = rosa.get(path)
    assert status == 200
    return text


def _claimed(rosa: Visitor, ref: ReviewRef) -> dict[str, str]:
    """The form of the review's page; empty where it is not to be had any more."""
    status, page = rosa.post(f"/review/{ref.document_id}/{ref.review_id}/claim/", {})
    assert status < 500
    return form_of(page, {}) if status == 200 and 'name="ticket"' in page else {}


def _sent(rosa: Visitor, ref: ReviewRef, form: dict[str, str], answer: Answer) -> int:
    """The status of the answer, whichever it is but for a fault of the server's, after which one sends it again."""
    typed = {"field-total": answer.typed, "reason": "Not ours.", "decision": answer.decision.value}
    status, _ = rosa.post(f"/review/{ref.document_id}/{ref.review_id}/decide/", {**form, **typed})
    assert status < 500
    return status
