"""Text on paper that was printed badly, photographed or scanned: fonts, skew, blur, fading, specks, compression."""

import io
from functools import cache
from pathlib import Path
from random import Random

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from tests.generated.papers import Paper, Printed

_FOLDERS = (Path("/usr/share/fonts"), Path("/usr/local/share/fonts"))
_FAMILIES = (
    "LiberationMono-Regular", "LiberationSans-Regular", "LiberationSansNarrow-Regular", "DejaVuSansMono", "DejaVuSans",
    "DejaVuSansCondensed", "LiberationSerif-Regular", "LiberationMono-Bold", "LiberationSans-Bold",
)  # fmt: skip
_BY_HAND = "LiberationSerif-Italic"


@cache
def _files() -> dict[str, Path]:
    return {path.stem: path for folder in _FOLDERS if folder.exists() for path in folder.rglob("*.ttf")}


@cache
def _font(name: str, size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """Pillow's own font where the family is not on this machine."""
    path = _files().get(name)
    return ImageFont.truetype(str(path), size) if path else ImageFont.load_default(size)


def drawn(paper: Paper, style: int, random: Random) -> bytes:
    """A JPEG. ``style`` is the till's: font and width."""
    habits = Random(style)
    family, size = habits.choice(_FAMILIES), habits.randint(17, 25)
    width = habits.choice((430, 500, 580, 660))
    page = Image.new("L", (width, 80 + len(paper.rows) * int(size * 2.2)), 255)
    pen, y, leading = ImageDraw.Draw(page), 24, habits.uniform(1.25, 1.6)
    for row in paper.rows:
        y += int(_row(pen, row, (y, width), family, size) * leading)
    return _aged(page.crop((0, 0, width, y + 30)), random)


def _row(pen: ImageDraw.ImageDraw, row: Printed, place: tuple[int, int], family: str, size: int) -> int:
    y, width = place
    name = _BY_HAND if row.by_hand else family.replace("-Regular", "-Bold") if row.bold else family
    scaled = max(12, int(size * row.size))
    whole = f"{row.left}   {row.right}".strip()
    while scaled > 11 and _font(name, scaled).getlength(whole) > width - 36:
        scaled -= 1
    font = _font(name, scaled)
    left = (width - font.getlength(row.left)) / 2 if row.middle else 18
    pen.text((left, y), row.left, fill=20, font=font)
    if row.right:
        pen.text((width - 18 - font.getlength(row.right), y), row.right, fill=20, font=font)
    return scaled


def _aged(page: Image.Image, random: Random) -> bytes:
    """Most papers are a little worn, four in ten badly."""
    bad = random.random() < 0.4
    noise = np.random.default_rng(random.randrange(1 << 30))
    page = page.rotate(random.gauss(0, 0.7), resample=Image.Resampling.BICUBIC, expand=True, fillcolor=255)
    ink = np.asarray(page, dtype=np.float32)
    fade = random.uniform(0.0, 0.55 if bad else 0.3)
    ink = 255 - (255 - ink) * (1 - fade)
    if random.random() < 0.25:  # a strip that the print head or the fold left pale
        x, wide = random.randrange(page.width), random.randint(6, 40)
        ink[:, x : x + wide] = 255 - (255 - ink[:, x : x + wide]) * random.uniform(0.1, 0.6)
    for _ in range(random.randint(0, 2 if bad else 1)):
        row = random.randrange(page.height)
        ink[row : row + 2, :] = random.choice((255, 60))
    ink += noise.normal(0, random.uniform(2, 26 if bad else 12), ink.shape)
    ink -= random.uniform(0, 35) * np.linspace(0, 1, page.width)
    page = Image.fromarray(np.clip(ink, 0, 255).astype(np.uint8))
    page = page.filter(ImageFilter.GaussianBlur(random.uniform(0.2, 1.7 if bad else 0.9)))
    if bad:
        small = random.uniform(0.5, 0.8)
        page = page.resize((int(page.width * small), int(page.height * small)))
    held = io.BytesIO()
    page.convert("RGB").save(held, "JPEG", quality=random.randint(22, 45) if bad else random.randint(45, 85))
    return held.getvalue()
