"""``manage.py demo`` as a newcomer starts it, and what somebody at its terminal may see and do."""

import os
import re
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

from tests.commands import desk

UP_SECONDS = 240  # to the line that it is up, its samples processed
_STOP_SECONDS = 90
_START_AGAIN_SECONDS = 60
_SAMPLE = re.compile(r"^  (\S+\.\w+): ", re.MULTILINE)
_LOGIN = re.compile(r"^ +(\w+) +(\S+) {3}\w+: ", re.MULTILINE)


class Demo:
    """``variables`` are the environment's; ports and state folder are its own."""

    def __init__(self, folder: Path, **variables: str) -> None:
        folder.mkdir(parents=True)
        self.folder, self.said_in = folder, folder / "said"
        self.env = desk.environment(folder) | variables
        self.web = f"http://127.0.0.1:{self.env['COUNTERSIGN_PORT']}"
        self.aws = f"http://127.0.0.1:{self.env['COUNTERSIGN_EMULATOR_PORT']}"
        self.process: subprocess.Popen[bytes] | None = None
        self.began = time.monotonic()

    def start(self) -> float:
        """Seconds until it said that it is up."""
        self.began = began = time.monotonic()
        with self.said_in.open("ab") as output:
            self.process = subprocess.Popen(
                desk.command("demo", "--no-history"),
                env=self.env,
                stdout=output,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
            )
        while "Press Ctrl-C to stop" not in self.said:
            assert self.process.poll() is None, self.said
            assert time.monotonic() - began < UP_SECONDS, self.said
            time.sleep(0.2)
        return time.monotonic() - began

    @property
    def said(self) -> str:
        return self.said_in.read_text(errors="replace")

    @property
    def samples(self) -> list[str]:
        """The names of the documents that it brings along, as it says how they ended."""
        return _SAMPLE.findall(self.said)

    def password(self, username: str) -> str:
        return dict(_LOGIN.findall(self.said))[username]

    def worker(self, name: str) -> int:
        """The process of one of its workers, as ``ps`` shows it; one that was killed is started again first."""
        end = time.monotonic() + _START_AGAIN_SECONDS
        while not (found := self._find_workers(name)) and time.monotonic() < end:
            time.sleep(0.5)
        (pid,) = found
        return pid

    def _find_workers(self, name: str) -> list[int]:
        assert self.process
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        found = []
        for pid in children:
            with suppress(FileNotFoundError, ProcessLookupError):  # it ended meanwhile
                forked = Path(f"/proc/{pid}/comm").read_text().strip() == f"worker-{name}"
                started_again = f"{name}@%h".encode() in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
                if (forked or started_again) and "State:\tZ" not in Path(f"/proc/{pid}/status").read_text():
                    found.append(int(pid))
        return found

    def kill(self, name: str) -> None:
        """``kill -9`` of a worker and the processes of its pool."""
        os.killpg(self.worker(name), signal.SIGKILL)

    def logs(self) -> dict[str, str]:
        return {path.stem: path.read_text(errors="replace") for path in (self.folder / "state/logs").glob("*.log")}

    def stop(self) -> int:
        """Its exit code; nothing is killed that ends by itself."""
        assert self.process
        self.process.terminate()  # whoever runs this in the background has it ignore Ctrl-C
        return self.process.wait(_STOP_SECONDS)

    def end(self) -> None:
        """Whatever became of it; its children end with it."""
        if self.process:
            self.process.kill()
            self.process.wait()
