"""An answer that breaks off in its middle is nobody's fault, and no error of urllib3's or boto3's gets out."""

from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from django.conf import settings

from config import aws
from config.errors import Unavailable
from config.item import Item
from config.table import Key
from config.transaction import EXISTS, Check, transact
from tests.flow import gate as gates
from tests.flow.gate import Dropped, Gate, write_head
from tests.flow.processes import through
from workflows.storage import objects
from workflows.storage.objects import SiteFiles


@dataclass
class CuttingGate(Gate):
    """Half of each body arrives."""

    def send(self, request: BaseHTTPRequestHandler, status: int, headers: list[tuple[str, str]], body: bytes) -> None:
        write_head(request, status, headers, len(body))
        request.wfile.write(body[: len(body) // 2])
        raise Dropped


@pytest.fixture
def cut(table: str) -> Iterator[None]:
    SiteFiles("default").write("debug/answer.json", b"0" * 1000, "application/json")
    with gates.opened(settings.EMULATOR_PORT, CuttingGate) as gate, through(f"http://127.0.0.1:{gate.port}"):
        yield


@pytest.mark.wide
@pytest.mark.usefixtures("cut")
def test_of_the_table() -> None:
    for ask in (
        lambda: Item.load(Key("a", "META")),
        lambda: Item.page("a"),
        lambda: transact([Check(Key("a", "META"), EXISTS)]),
    ):
        with pytest.raises(Unavailable):
            ask()


@pytest.mark.usefixtures("cut")
def test_of_a_file(tmp_path: Path) -> None:
    for ask in (
        lambda: SiteFiles("default").read("debug/answer.json"),
        lambda: objects.fetch_object("debug/answer.json", tmp_path / "fetched"),
    ):
        with pytest.raises(Unavailable):
            ask()


@pytest.mark.usefixtures("cut")
def test_of_a_queue() -> None:
    with pytest.raises(Unavailable), aws.translate_aws_errors():
        aws.aws_client("sqs").get_queue_attributes(QueueUrl=settings.EVENTS_QUEUE_URL, AttributeNames=["All"])
