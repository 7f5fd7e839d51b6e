"""The generated files are what they are called, all kinds that the desk says it reads among them."""

from pathlib import Path

import miniaudio
import olefile
import pytest

from tests.generated.kinds import every_kind
from tests.generated.messages import outlook
from tests.generated.sounds import silent_flac, silent_ogg
from workflows.intake import containers, inspection
from workflows.intake.containers import Limits
from workflows.intake.content_types import EXTENSIONS
from workflows.stages import formats


def test_every_kind_that_is_taken_is_made_and_taken_as_it(tmp_path: Path) -> None:
    made = every_kind(tmp_path, "a-")
    assert set(made) == set(EXTENSIONS.values())
    found = {extension: inspection.inspect(path, path.name) for extension, path in made.items()}
    assert {extension: one.file_type for extension, one in found.items()} == {
        extension: kind for kind, extension in EXTENSIONS.items()
    }
    assert {one.notes for one in found.values()} == {()}


@pytest.mark.parametrize("silent", [silent_flac, silent_ogg])
def test_a_recording_made_by_hand_is_decoded_to_its_end(tmp_path: Path, silent: object) -> None:
    assert callable(silent)
    path = silent(tmp_path / "a", 2)
    decoded = miniaudio.decode_file(str(path), sample_rate=16_000, nchannels=1)
    assert 1.9 < len(decoded.samples) / 16_000 < 2.2
    assert set(decoded.samples) == {0}


def test_an_outlook_message_made_by_hand_holds_its_text_and_attachments(tmp_path: Path) -> None:
    attached = {"small.txt": b"words", "large.bin": b"x" * 9000, "exact.bin": b"y" * 512}
    path = outlook(tmp_path / "a.msg", subject="Two files", text="See both.", attached=attached)
    with olefile.OleFileIO(path, raise_defects=olefile.DEFECT_UNSURE) as file:
        assert file.parsing_issues == []
    names = []
    for one in containers.members(path, formats.OUTLOOK, Limits(20, 10**6)):
        one.write(tmp_path / one.name)
        names.append(one.name)
    assert {name: (tmp_path / name).read_bytes() for name in names[:3]} == attached
    assert names[3] == "Two files.txt"
    assert "See both." in (tmp_path / names[3]).read_text()
