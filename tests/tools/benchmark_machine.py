"""What the machine's work costs: segment rows against raw boto3, the OCR stage against the bare engine."""

import io
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from django.conf import settings
from PIL import Image

from config import aws, clock, table
from config.errors import NotFound
from tests.tools import samples
from tests.tools.measure import Ratio, Work, turns
from workflows.runs import run_settings
from workflows.runs.actions import segments
from workflows.runs.items import Run
from workflows.stages import artifacts, paddleocr_processor, segment_analyzer, segment_builder, segment_prep
from workflows.stages.base import StageContext
from workflows.stages.pages import ocr
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

_BATCH = 25
_LANES = 4
_ANALYSES = 20


def segment_rows(rounds: int, count: int) -> Iterator[Ratio]:
    """The rows of one run; both sides write in batches of 25 on four threads."""
    run = Run(table.DEFAULT_SITE, "proj_benchmark", "benchmark-document", "benchmark-run")
    ours: list[Work] = [lambda: segments.write(run, count)] * rounds
    own, other = turns(ours, lambda: _raw_rows(run, count))
    yield Ratio(
        f"writing {count} segment rows", own / other, 1.5, "at most", own / count, other / count, "row",
        "boto3's batch_write_item with hand-written items",
    )  # fmt: skip


def _raw_rows(run: Run, count: int) -> None:
    now = clock.iso(clock.now())
    root = DocumentFiles(run.site, run.project_id, run.document_id).root
    bucket = f"s3://{settings.BUCKET_NAME}/{root}"

    def write(start: int) -> None:
        rows = [_raw_row(run, index, root, bucket, now) for index in range(start, min(start + _BATCH, count))]
        aws.aws_client("dynamodb").batch_write_item(RequestItems={settings.TABLE_NAME: rows})

    with ThreadPoolExecutor(_LANES) as lanes:
        list(lanes.map(write, range(0, count, _BATCH)))


def _raw_row(run: Run, index: int, root: str, bucket: str, now: str) -> dict[str, Any]:
    key = table.segment_key(run.site, run.workflow_id, index)
    data = {
        "segment_index": {"N": str(index)},
        "s3_key": {"S": root + files.segment(index)},
        "image_uri": {"S": bucket + files.page_image(index)},
    }
    item = {
        "PK": {"S": key.pk}, "SK": {"S": key.sk}, "data": {"M": data},
        "created_at": {"S": now}, "updated_at": {"S": now},
    }  # fmt: skip
    return {"PutRequest": {"Item": item}}


class _Memory:
    """An ArtifactStore without S3: the OCR row is about the engine."""

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}

    def read(self, name: str) -> bytes:
        try:
            return self.kept[name]
        except KeyError as error:
            raise NotFound("There is no such record.") from error

    def write(self, name: str, body: bytes, content_type: str) -> str:
        self.kept[name] = body
        return name

    def write_new(self, name: str, body: bytes, content_type: str) -> bool:
        return self.kept.setdefault(name, body) is body

    def exists(self, name: str) -> bool:
        return name in self.kept

    def uri(self, name: str) -> str:
        return name


def reading(rounds: int) -> Iterator[Ratio]:
    """The demo's photographed receipt: the stage from the stored image to the stored lines, the engine on its pixels.

    The engine is as its makers ship it, without our decoder. Pages a second of CPU: with one thread that is pages a
    second, without the machine's other work. Then what is made of the lines, without a model.
    """
    from rapidocr import RapidOCR  # noqa: PLC0415 - two seconds and 150 MB

    bare: Any = RapidOCR(params=ocr.PARAMETERS)
    with tempfile.TemporaryDirectory(prefix="countersign-benchmark-") as folder:
        receipt, store = samples.write_samples(Path(folder))[1], _Memory()
        context = StageContext(
            workflow_id="benchmark", file_name=receipt.name, file_type="image/jpeg", original=receipt,
            settings=run_settings.freeze({}), artifacts=store, heartbeat=lambda: None,
        )  # fmt: skip
        segment_prep.run(context)
        count = artifacts.read_json(context.artifacts, files.PREPARED)["segment_count"]
        pages = [_pixels(context.artifacts.read(files.page_image(index))) for index in range(count)]
        ours: list[Work] = [lambda: _read_anew(context, store)] * rounds
        own, other = turns(ours, lambda: [bare(page) for page in pages])
        for stage in (paddleocr_processor, segment_builder):
            stage.run(context)
        analysis, _ = turns([lambda: segment_analyzer.run(context)] * max(rounds, _ANALYSES), lambda: None)
    yield Ratio(
        "OCR stage, pages a second of CPU", other / own, 0.95, "at least", own / count, other / count, "page",
        f"RapidOCR in a loop over the same page, {ocr.THREADS} thread(s)",
    )  # fmt: skip
    yield Ratio(
        "analysis of a page, CPU-ms", analysis / count, 50, "at most", analysis / count, other / count, "page",
        "RapidOCR's reading of it",
    )  # fmt: skip


def _read_anew(context: StageContext, store: _Memory) -> None:
    """Without what an earlier round read: the stage never reads a page twice."""
    for name in [name for name in store.kept if name.startswith("paddleocr/")]:
        del store.kept[name]
    paddleocr_processor.run(context)


def _pixels(body: bytes) -> Any:
    with Image.open(io.BytesIO(body)) as image:
        return np.ascontiguousarray(np.asarray(image.convert("RGB"))[:, :, ::-1])
