"""The local OCR engine under a test run: each picture is read once by the engine itself, and then known to all workers.

Most documents of the tests are the same few samples, and a page costs the engine one to three seconds of a processor.
Kept is what the engine answered, by the pixels and everything else that it was asked with; what the product makes of
it is made anew each time.
"""

import functools
import hashlib
import pickle
import uuid
from types import SimpleNamespace
from typing import Any

from tests.settings import FOLDER
from workflows.stages.pages import ocr

KEPT = FOLDER / "read"
ANSWER = ("boxes", "txts", "scores", "word_results")  # what the product looks at
the_engine_itself = ocr.engine


class RememberingReader:
    """As much of the engine as ``ocr.read_page_image`` uses; the engine is loaded when a picture is new."""

    def __init__(self) -> None:
        self.max_side_len = 0
        self.text_det = SimpleNamespace(limit_side_len=0)

    def _load_det_model(self) -> SimpleNamespace:
        return self.text_det

    def __call__(self, pixels: Any, **options: Any) -> SimpleNamespace:
        asked = (pixels.shape, self.max_side_len, self.text_det.limit_side_len, sorted(options.items()))
        kept = KEPT / hashlib.sha256(repr(asked).encode() + pixels.tobytes()).hexdigest()
        if not kept.exists():
            keep(kept, self.read(pixels, **options))
        answer: SimpleNamespace = pickle.loads(kept.read_bytes())
        return answer

    def read(self, pixels: Any, **options: Any) -> SimpleNamespace:
        reader = the_engine_itself()
        reader.max_side_len = self.max_side_len
        reader._load_det_model().limit_side_len = self.text_det.limit_side_len
        found = reader(pixels, **options)
        return SimpleNamespace(**{name: getattr(found, name) for name in ANSWER})


def keep(path: Any, answer: SimpleNamespace) -> None:
    """Whole or not at all: another worker may look for it meanwhile."""
    path.parent.mkdir(exist_ok=True)
    written = path.with_name(f"{path.name}-{uuid.uuid4()}")
    written.write_bytes(pickle.dumps(answer))
    written.replace(path)


def remember_readings() -> None:
    ocr.engine = functools.cache(RememberingReader)
