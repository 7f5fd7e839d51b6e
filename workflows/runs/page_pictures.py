"""Page images for browsers: WebP in display size, made from the PNG that stages read, at each request."""

import io

from PIL import Image

_ZOOM = "zoom"
_SIDES = {"page": 2000, "thumb": 160, _ZOOM: 3200}  # pixels of the longer side; an A4 page at 150 dpi has 1,754
_QUALITY = 55  # a scan of A4 then is 30 to 130 KB; its PNG has 200 to 1,600
_CLOSE = (80, 65, 50, 35)  # qualities of what is looked at closely, which keeps its pixels: 25 to 150 KB
_MOST_CLOSE_BYTES = 400_000
_NOISY = ((2000, 30), (1500, 25), (1100, 20))  # side and quality for larger results, which are noise that nobody reads
_MOST_BYTES = 120_000  # the budget of a whole decision is 150 KB
_EFFORT = 2  # of 6: half the time of 4 for 3 % more bytes
_MOST_PIXELS = 40_000_000  # of images of an earlier system; larger ones are sent unchanged


def shrink_picture(body: bytes, size: str) -> bytes | None:
    """``size``: page, zoom or thumb. None for other sizes, or if the image cannot be made smaller."""
    side = _SIDES.get(size)
    if side is None:
        return None
    try:
        with Image.open(io.BytesIO(body)) as image:
            if image.width * image.height > _MOST_PIXELS:
                return None
            smaller = image.convert("RGB")
    except (OSError, SyntaxError, ValueError):
        return None
    smaller.thumbnail((side, side), reducing_gap=2.0)
    if size == _ZOOM:
        return _encode_close(smaller)
    made = _encode(smaller, _QUALITY)
    for side, quality in _NOISY:
        if len(made) <= _MOST_BYTES:
            break
        smaller.thumbnail((side, side))
        made = _encode(smaller, quality)
    return made


def _encode_close(image: Image.Image) -> bytes:
    made = b""
    for quality in _CLOSE:
        made = _encode(image, quality)
        if len(made) <= _MOST_CLOSE_BYTES:
            break
    return made


def _encode(image: Image.Image, quality: int) -> bytes:
    made = io.BytesIO()
    image.save(made, "WEBP", quality=quality, method=_EFFORT)
    return made.getvalue()
