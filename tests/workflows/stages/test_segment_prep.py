import io
from pathlib import Path

import pikepdf
import pytest
from PIL import Image

from config.errors import StageFailed
from tests.tools.paper import Sheet, save
from tests.workflows.stages.memory import Beats, context, kept
from workflows.stages import segment_prep
from workflows.stages.pages import image_files


def pdf(path: Path, *sizes: tuple[float, float]) -> Path:
    sheets = [Sheet(*size) for size in sizes]
    for sheet in sheets:
        sheet.text(40, 60, "Hello")
    return save(sheets, path)


def size_of(body: bytes) -> tuple[int, int]:
    with Image.open(io.BytesIO(body)) as image:
        assert image.mode == "RGB"
        return image.size


def test_a_pdf_becomes_one_image_a_page_at_150_dpi(tmp_path: Path) -> None:
    ctx = context(pdf(tmp_path / "a.pdf", (595, 842), (842, 595)))
    result = segment_prep.run(ctx)
    assert result.facts == {"segment_count": 2}
    assert size_of(ctx.artifacts.read("preprocessed/page_0000.png")) == (1240, 1755)
    assert size_of(ctx.artifacts.read("preprocessed/page_0001.png")) == (1755, 1240)
    metadata = kept(ctx).json("preprocessed/metadata.json")
    assert [segment["segment_index"] for segment in metadata["segments"]] == [0, 1]


def test_running_it_again_writes_the_same_bytes(tmp_path: Path) -> None:
    ctx = context(pdf(tmp_path / "a.pdf", (300, 300)))
    segment_prep.run(ctx)
    first = dict(kept(ctx).kept)
    segment_prep.run(ctx)
    assert kept(ctx).kept == first


def test_the_claim_is_renewed_after_every_page(tmp_path: Path) -> None:
    ctx = context(pdf(tmp_path / "a.pdf", (100, 100), (100, 100), (100, 100)))
    segment_prep.run(ctx)
    assert isinstance(ctx.heartbeat, Beats)
    assert ctx.heartbeat.count == 3


@pytest.mark.wide
def test_a_poster_is_scaled_to_what_can_be_read(tmp_path: Path) -> None:
    ctx = context(pdf(tmp_path / "a.pdf", (7000, 7000)))
    segment_prep.run(ctx)
    width, height = size_of(ctx.artifacts.read("preprocessed/page_0000.png"))
    assert width * height <= 1.01 * 25_000_000


def test_a_phone_photo_is_turned_upright(tmp_path: Path) -> None:
    image = Image.new("RGB", (80, 40), "white")
    exif = image.getexif()
    exif[0x0112] = 6  # turn by 90 degrees
    image.save(tmp_path / "a.jpg", exif=exif)
    ctx = context(tmp_path / "a.jpg", "image/jpeg")
    segment_prep.run(ctx)
    assert size_of(ctx.artifacts.read("preprocessed/page_0000.png")) == (40, 80)


def test_every_frame_of_a_tiff_is_a_page(tmp_path: Path) -> None:
    frames = [Image.new("L", (30 + number, 20), number * 50) for number in range(3)]
    frames[0].save(tmp_path / "a.tif", save_all=True, append_images=frames[1:])
    ctx = context(tmp_path / "a.tif", "image/tiff")
    assert segment_prep.run(ctx).facts == {"segment_count": 3}
    assert size_of(ctx.artifacts.read("preprocessed/page_0002.png")) == (32, 20)


def test_only_the_first_picture_of_an_animation_is_a_page(tmp_path: Path) -> None:
    frames = [Image.effect_noise((20, 20), 50 + number) for number in range(3)]
    frames[0].save(tmp_path / "a.gif", save_all=True, append_images=frames[1:])
    assert segment_prep.run(context(tmp_path / "a.gif", "image/gif")).facts == {"segment_count": 1}


def test_transparent_paper_is_white() -> None:
    assert image_files.flat(Image.new("RGBA", (2, 2), (0, 0, 0, 0))).getpixel((0, 0)) == (255, 255, 255)


def test_sixteen_bit_grey_keeps_its_shades() -> None:
    image = Image.new("I;16", (3, 1))
    for x, value in enumerate((0, 32_000, 64_000)):
        image.putpixel((x, 0), value)
    levels = [pixel[0] for pixel in image_files.flat(image).get_flattened_data()]
    assert levels[0] == 0
    assert 120 < levels[1] < 135
    assert levels[2] == 255


def test_a_fax_is_stretched_to_its_real_shape() -> None:
    assert image_files.square_pixels(Image.new("L", (200, 100)), (204, 98)).size == (200, 208)
    assert image_files.square_pixels(Image.new("L", (200, 100)), (98, 204)).size == (416, 100)
    assert image_files.square_pixels(Image.new("L", (200, 100)), (150, 150)).size == (200, 100)


def test_a_cut_image_fails_with_what_to_do(tmp_path: Path) -> None:
    Image.effect_noise((200, 200), 60).save(tmp_path / "whole.png")
    (tmp_path / "a.png").write_bytes((tmp_path / "whole.png").read_bytes()[:9000])
    with pytest.raises(StageFailed, match="Save or scan it again"):
        segment_prep.run(context(tmp_path / "a.png", "image/png"))


def test_a_pdf_with_a_password_fails_with_what_to_do(tmp_path: Path) -> None:
    with pikepdf.open(pdf(tmp_path / "a.pdf", (100, 100))) as document:
        document.save(tmp_path / "b.pdf", encryption=pikepdf.Encryption(owner="o", user="u"))
    with pytest.raises(StageFailed, match="without the password"):
        segment_prep.run(context(tmp_path / "b.pdf"))


def test_a_pdf_without_its_end_is_repaired(tmp_path: Path) -> None:
    whole = pdf(tmp_path / "a.pdf", (100, 100)).read_bytes()
    (tmp_path / "b.pdf").write_bytes(whole[: whole.index(b"xref")])
    assert segment_prep.run(context(tmp_path / "b.pdf")).facts == {"segment_count": 1}


def test_other_files_fail_with_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "a.docx").write_bytes(b"PK")
    with pytest.raises(StageFailed, match="Upload a PDF or image"):
        segment_prep.run(context(tmp_path / "a.docx", "application/msword"))
