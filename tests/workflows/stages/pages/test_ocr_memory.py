"""What a process keeps of a page that it has read: the model, and not the room that reading took."""

import subprocess
import sys

import pytest
from django.conf import settings

# In a process of its own: what other tests left would be given back too.
READS = """
from PIL import Image, ImageDraw
from workflows.stages.pages import ocr

def resident():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS")) // 1024

page = Image.new("RGB", (1240, 1754), "white")
for row in range(12):
    ImageDraw.Draw(page).text((90, 100 + 120 * row), f"Total due 120.0{row}", fill="black", font_size=40)
ocr.engine()
before = resident()
assert ocr.read_page_image(page, 0).lines
print(resident() - before)
"""


@pytest.mark.wide
@pytest.mark.skipif(sys.platform != "linux", reason="only glibc is asked to give memory back")
def test_a_page_that_was_read_leaves_its_memory_to_others() -> None:
    done = subprocess.run(
        [sys.executable, "-c", READS], cwd=settings.BASE_DIR, capture_output=True, text=True, check=True, timeout=240
    )
    assert int(done.stdout) < 80, "MB more than the model alone"
