"""Image files as upright RGB pages: TIFF frames, orientation, transparency, unusual pixel formats."""

import warnings
from math import sqrt
from pathlib import Path

import pi_heif
from PIL import Image, ImageOps

from workflows.stages.pages.pdf import MAX_PIXELS

# Above this a file is a decompression bomb, or far larger than a page needs.
MAX_SOURCE_PIXELS = 120_000_000
Image.MAX_IMAGE_PIXELS = MAX_SOURCE_PIXELS
# Pillow only warns up to twice the limit, and decodes.
pi_heif.register_heif_opener()  # Pillow reads AVIF by itself, and not HEIC
warnings.filterwarnings("error", category=Image.DecompressionBombWarning)
TOO_LARGE = (Image.DecompressionBombError, Image.DecompressionBombWarning)
MANY_PAGES = {"image/tiff"}


def frame_count(path: Path, file_type: str) -> int:
    """An animation counts as one page: its first frame. Raises: OSError."""
    with Image.open(path) as image:
        return int(getattr(image, "n_frames", 1)) if file_type in MANY_PAGES else 1


def frame(path: Path, index: int) -> Image.Image:
    """Return one page, upright. Raises: OSError if the data is truncated or not an image."""
    with Image.open(path) as image:
        if index:
            image.seek(index)
        return upright(image)


def check_size(image: Image.Image) -> None:
    """Raises: DecompressionBombError. Called before decoding each frame, since the next may be larger."""
    if image.width * image.height > MAX_SOURCE_PIXELS:
        raise Image.DecompressionBombError(f"{image.width} × {image.height} pixels")


def upright(image: Image.Image) -> Image.Image:
    check_size(image)
    turned = ImageOps.exif_transpose(image)
    return within_limit(square_pixels(flat(turned), turned.info.get("dpi")))


def flat(image: Image.Image) -> Image.Image:
    """Return RGB on white. 16-bit gray is scaled, as a plain conversion would clip it to white."""
    if image.mode.startswith(("I", "F")):
        low, high = image.convert("F").getextrema()
        span = max(float(high) - float(low), 1.0)  # type: ignore[arg-type]
        return image.convert("F").point(lambda value: (value - low) * 255 / span).convert("RGB")
    if image.mode in {"RGBA", "LA", "PA"} or "transparency" in image.info:
        image = image.convert("RGBA")
        paper = Image.new("RGBA", image.size, "white")
        paper.alpha_composite(image)
        return paper.convert("RGB")
    return image.convert("RGB")


def square_pixels(image: Image.Image, dpi: object) -> Image.Image:
    """Fax pages have 204 × 98 dpi: unscaled they are half as tall, and OCR fails on them."""
    if not isinstance(dpi, tuple) or len(dpi) != 2 or not all(dpi):
        return image
    ratio = float(dpi[0]) / float(dpi[1])
    if 1.5 < ratio < 3:
        return image.resize((image.width, round(image.height * ratio)))
    if 1 / 3 < ratio < 1 / 1.5:
        return image.resize((round(image.width / ratio), image.height))
    return image


def within_limit(image: Image.Image) -> Image.Image:
    pixels = image.width * image.height
    if pixels <= MAX_PIXELS:
        return image
    scale = sqrt(MAX_PIXELS / pixels)
    return image.resize((max(1, int(image.width * scale)), max(1, int(image.height * scale))), Image.Resampling.LANCZOS)
