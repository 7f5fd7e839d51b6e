"""A folder of generated receipts with its ``ground_truth.jsonl``, for fitting and for measuring.

``python -m tests.generated.folder FOLDER COUNT [SEED]``; the same seed gives the same papers, and another seed other
papers of the same vendors, as a project's next months would bring.
"""

import json
import sys
from pathlib import Path
from random import Random

from tests.generated.drawing import drawn
from tests.generated.papers import paper
from tests.generated.vendors import vendors

VENDORS, VENDOR_SEED = 90, 7


def fill(folder: Path, count: int, seed: int = 1) -> Path:
    """Answers the truth's file. Few vendors send most of the papers, and many send one."""
    random = Random(seed)
    known = vendors(VENDORS, VENDOR_SEED)
    weights = [1 / (place + 3) for place in range(len(known))]
    folder.mkdir(parents=True, exist_ok=True)
    entries = []
    for number in range(count):
        vendor = random.choices(known, weights)[0]
        made = paper(vendor, random)
        name = f"receipt-{seed}-{number:04d}.jpg"
        (folder / name).write_bytes(drawn(made, vendor.style, random))
        entries.append({"file": name, "kind": "receipt", "fields": made.truth})
    truth = folder / "ground_truth.jsonl"
    truth.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    return truth


if __name__ == "__main__":
    fill(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 1)
