"""A run whose file is a recording of half a minute."""

import io
import math
import struct
import wave

from config import table
from workflows.runs.items import DocumentWorkflow, Run
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

SECONDS = 30
_RATE = 4000


def _draw() -> bytes:
    body = io.BytesIO()
    with wave.open(body, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(1)
        sound.setframerate(_RATE)
        sound.writeframes(b"".join(struct.pack("B", 128 + int(50 * math.sin(at / 3))) for at in range(SECONDS * _RATE)))
    return body.getvalue()


WAV = _draw()


def make_recording(run: Run) -> None:
    store = DocumentFiles(run.site, run.project_id, run.document_id)
    uri = store.write(files.original(run.document_id, ".wav"), WAV, "audio/wav")
    key = table.DOCUMENT_WORKFLOW.key(run.site, document_id=run.document_id, workflow_id=run.workflow_id)
    actions = [
        DocumentWorkflow.data["file_type"].set("audio/wav"),
        DocumentWorkflow.data["file_uri"].set(uri),
        DocumentWorkflow.s3version.remove(),
    ]
    DocumentWorkflow.change(key, actions, DocumentWorkflow.PK.exists())
