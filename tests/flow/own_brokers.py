"""Brokers of a test's own, to be killed and started again: those that this machine has for everybody are left alone."""

import os
import shutil
import signal
import socket
import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import pytest
from django.conf import settings
from kombu import Connection

from config import aws
from config.brokers import transport
from tests.commands.desk import free_port
from tests.flow.processes import LiveDesk, wait_for

_START_SECONDS = 90


@dataclass
class OwnBroker(ABC):
    """``folder``: what outlives a kill is in it."""

    folder: Path
    port: str = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None
    name: ClassVar[str]
    url: ClassVar[str]

    @classmethod
    @abstractmethod
    def is_installed(cls) -> bool: ...

    def command(self) -> list[str]:
        """None for the one that the desk starts."""
        return []

    def environment(self) -> dict[str, str]:
        return dict(os.environ)

    @property
    def address(self) -> str:
        return self.url.format(port=self.port)

    def variables(self) -> dict[str, str]:
        """Of the desk's processes."""
        return {"COUNTERSIGN_ENGINE": "celery", "COUNTERSIGN_BROKER_URL": self.address}

    def start(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / "output.log").open("ab") as output:
            self.process = subprocess.Popen(
                self.command(),
                env=self.environment(),
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        wait_for(self._answers, f"{self.name} answers", _START_SECONDS)

    def kill(self) -> None:
        """At once and without a word, with all that it started."""
        if self.process:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            self.process = None

    def count_ready(self, queue: str) -> int:
        """Messages of ``queue`` that no worker has."""
        with self._connection() as connection:
            return int(self._queue(queue)(connection.default_channel).queue_declare().message_count)

    @abstractmethod
    def count_taken(self) -> int:
        """Messages that a worker has and the broker keeps until it hears of their end."""

    def _queue(self, name: str) -> Any:
        queues = transport.make_queues(self.name, [name], "") or ()
        return next(iter(queues))

    def _connection(self) -> Connection:
        options = transport.transport_options(self.name, {}, prefix=f"{settings.STACK}:", hidden_seconds=3600)
        return Connection(self.address, transport_options=options, connect_timeout=3)

    def _answers(self) -> bool:
        assert self.process
        assert self.process.poll() is None, (self.folder / "output.log").read_text()[-2000:]
        try:
            socket.create_connection(("127.0.0.1", int(self.port)), timeout=1).close()  # kombu asks again after 2 s
            with self._connection() as connection:
                connection.connect()
        except Exception:  # noqa: BLE001 - each client has its own for what is not there yet
            return False
        return True


@dataclass
class OwnRedis(OwnBroker):
    """As docs/deploy.md asks for it. ``fsync``: with ``always``, what was answered is in the file."""

    fsync: str = "everysec"
    name, url = "redis", "redis://127.0.0.1:{port}/0"

    @classmethod
    def is_installed(cls) -> bool:
        return shutil.which("redis-server") is not None

    def command(self) -> list[str]:
        kept = ["--appendonly", "yes", "--appendfsync", self.fsync, "--save", "", "--maxmemory-policy", "noeviction"]
        return ["redis-server", "--bind", "127.0.0.1", "--port", self.port, "--dir", str(self.folder), *kept]

    def count_taken(self) -> int:
        with self._connection() as connection:
            channel: Any = connection.default_channel
            return int(channel.client.hlen(channel.unacked_key))


@dataclass
class OwnRabbit(OwnBroker):
    distribution: str = field(default_factory=free_port)
    name, url = "rabbitmq", "amqp://guest:guest@127.0.0.1:{port}//"

    @staticmethod
    def _script() -> Path:
        return Path("/usr/lib/rabbitmq/bin/rabbitmq-server")  # the one in PATH becomes another user and its folders

    @classmethod
    def is_installed(cls) -> bool:
        return cls._script().exists()

    def command(self) -> list[str]:
        return [str(self._script())]

    def environment(self) -> dict[str, str]:
        home = str(self.folder)
        return {
            "PATH": os.environ["PATH"],
            "HOME": home,  # its cookie
            "RABBITMQ_NODENAME": f"countersign-{self.port}@localhost",
            "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODE_PORT": self.port,
            "RABBITMQ_DIST_PORT": self.distribution,
            "RABBITMQ_CONF_ENV_FILE": f"{home}/none",
            "RABBITMQ_CONFIG_FILE": f"{home}/none",
            "RABBITMQ_ENABLED_PLUGINS_FILE": f"{home}/plugins",
            "RABBITMQ_MNESIA_BASE": f"{home}/mnesia",
            "RABBITMQ_LOG_BASE": f"{home}/log",
            "RABBITMQ_PID_FILE": f"{home}/pid",
        }

    def count_taken(self) -> int:
        return 0  # it says so only to its own tools


class EmbeddedSqs(OwnBroker):
    """The desk's own emulator: killed, it goes back to its last save, the table too."""

    name, url = "sqs", ""
    desk: LiveDesk

    @classmethod
    def is_installed(cls) -> bool:
        return True

    def variables(self) -> dict[str, str]:
        return {"COUNTERSIGN_ENGINE": "celery"}

    def start(self) -> None:
        self.desk.start_emulator(save_seconds=1)

    def kill(self) -> None:
        """After a save, during which the workers hold what they have: on a busy machine all would be done by then."""
        assert self.desk.emulator
        hold, process = self.desk.state / "slow", self.desk.emulator.process  # of tests.flow.noting
        hold.touch()
        try:
            self.wait_until_saved()
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        finally:
            hold.unlink()
        if process.stdin:
            process.stdin.close()

    def wait_until_saved(self) -> None:
        """What was written before this call is kept."""
        began, saved = time.time(), self.desk.state / "emulator" / "state" / "sqs.json"
        wait_for(lambda: saved.exists() and saved.stat().st_mtime > began + 1, "a save", 30)

    def count_ready(self, queue: str) -> int:
        return self._counted(queue, "ApproximateNumberOfMessages")

    def count_taken(self) -> int:
        return sum(self._counted(queue, "ApproximateNumberOfMessagesNotVisible") for queue in settings.QUEUE_URLS)

    def _counted(self, queue: str, name: str) -> int:
        answer = aws.aws_client("sqs").get_queue_attributes(QueueUrl=self._url(queue), AttributeNames=[name])
        return int(answer["Attributes"][name])

    def _url(self, queue: str) -> str:
        return settings.QUEUE_URLS[queue].replace(f":{settings.EMULATOR_PORT}/", f":{self.desk.port}/")


BROKERS: tuple[type[OwnBroker], ...] = (OwnRedis, OwnRabbit, EmbeddedSqs)


def require(kind: type[OwnBroker]) -> None:
    """Skip where it is not installed, unless the run insists on it."""
    if not kind.is_installed():
        assert os.environ.get("REQUIRE_BROKERS") != "1", f"{kind.name} is not installed on this machine"
        pytest.skip(f"{kind.name} is not installed on this machine")


def down_for(broker: OwnBroker, seconds: float, meanwhile: Callable[[], None] = lambda: None) -> None:
    broker.kill()
    meanwhile()
    time.sleep(seconds)
    broker.start()
