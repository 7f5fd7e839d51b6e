"""Detection and correction of rotated pages, by the confidence of the built-in engine.

On upright print, confidence is 0.9 and more; on the same print upside down less than 0.5. On a page lying on its side,
lines are taller than wide, and the engine reads them top to bottom.
"""

from collections.abc import Callable

from PIL import Image

from workflows.stages.pages.ocr import OcrReading

# Clockwise, by quarters.
_TURNS = {1: Image.Transpose.ROTATE_270, 2: Image.Transpose.ROTATE_180, 3: Image.Transpose.ROTATE_90}
_LEAST_LINES = 3  # fewer lines are inconclusive
_TALL = 1.5  # times as high as wide
_SURE, _UNSURE = 0.7, 0.6  # 0–1, mean confidence of a page's letters
_BETTER, _AS_GOOD = 0.15, -0.05  # required gain in confidence of the turned page


def turn(image: Image.Image, quarters: int) -> Image.Image:
    """Turn clockwise."""
    return image.transpose(_TURNS[quarters]) if quarters else image


def read_upright(read: Callable[[Image.Image], OcrReading], image: Image.Image) -> tuple[OcrReading, int]:
    """Return the reading of the upright page, and the number of clockwise quarter turns."""
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
    """Return the mean confidence of letters, 0–1."""
    letters = sum(len(line.text) for line in reading.lines)
    return sum(len(line.text) * line.score for line in reading.lines) / letters if letters else 0.0
