"""A page that lies on its side or stands on its head, told by how the built-in engine reads it, and turned.

Of upright print the engine is sure to nine tenths and more; of the same print the other way up to less than a half. On
its side, lines are taller than they are wide, and the engine reads those from the top down.
"""

from collections.abc import Callable

from PIL import Image

from workflows.stages.pages.ocr import OcrReading

# Clockwise, by quarters.
_TURNS = {1: Image.Transpose.ROTATE_270, 2: Image.Transpose.ROTATE_180, 3: Image.Transpose.ROTATE_90}
_LEAST_LINES = 3  # of fewer nothing can be told
_TALL = 1.5  # times as high as wide
_SURE, _UNSURE = 0.7, 0.6  # 0–1, of a page's letters on average
_BETTER, _AS_GOOD = 0.15, -0.05  # by how much the turned page must be surer


def turn(image: Image.Image, quarters: int) -> Image.Image:
    """Clockwise."""
    return image.transpose(_TURNS[quarters]) if quarters else image


def read_upright(read: Callable[[Image.Image], OcrReading], image: Image.Image) -> tuple[OcrReading, int]:
    """What the page says the right way up, and the quarters that it was turned by for that, clockwise."""
    reading = read(image)
    quarters = _guess_turn(reading)
    if not quarters:
        return reading, 0
    turned = read(turn(image, quarters))
    needed = _AS_GOOD if quarters == 3 else _BETTER
    if _sureness(turned) < _sureness(reading) + needed:
        return reading, 0
    return turned, quarters


def _guess_turn(reading: OcrReading) -> int:
    if len(reading.boxes) < _LEAST_LINES:
        return 0
    tall = sum(y1 - y0 > _TALL * (x1 - x0) for x0, y0, x1, y1 in reading.boxes)
    if 2 * tall > len(reading.boxes):
        return 3 if _sureness(reading) >= _SURE else 1
    return 2 if _sureness(reading) < _UNSURE else 0


def _sureness(reading: OcrReading) -> float:
    """0–1, of a letter on average."""
    letters = sum(len(line.text) for line in reading.lines)
    return sum(len(line.text) * line.score for line in reading.lines) / letters if letters else 0.0
