"""Documents to practise on: loaded once a day, by an admin, into a project in which every one waits for a person."""

from pathlib import Path

import pytest

from config.table import DEFAULT_SITE
from projects.audit.events import Actor
from review import queries
from tests.people import alice, bob, signed_in
from tests.pump import Pump
from tests.tools import practice as drawn
from workflows.operations import practice

pytestmark = pytest.mark.django_db
BY = Actor("1", "Ada")


def test_the_files_are_what_the_tool_draws(tmp_path: Path) -> None:
    names = [path.name for path in drawn.write(tmp_path)]
    assert names == sorted(path.name for path in practice.FOLDER.iterdir())
    for name in names:
        assert (tmp_path / name).read_bytes() == (practice.FOLDER / name).read_bytes()


@pytest.mark.wide
def test_each_waits_for_a_person_and_says_what_is_wrong(pump: Pump) -> None:
    _, loaded = practice.load_practice(DEFAULT_SITE, by=BY)
    assert loaded == 6
    assert practice.load_practice(DEFAULT_SITE, by=BY)[1] == 0
    pump.run(lambda: pump.ran("open_review") >= 6, seconds=120)
    told = {row.name: " ".join(str(reason) for reason in row.reasons) for row in queries.list_queue(DEFAULT_SITE).rows}
    assert set(told) == {path.name for path in practice.FOLDER.iterdir()}
    assert "Date not found" in told["5 invoice HB-3342.pdf"]
    assert "The same file was received before" in told["6 invoice HB-3301.pdf"]


@pytest.mark.usefixtures("machines", "table")
def test_an_admin_loads_them_by_a_button() -> None:
    assert 'action="/practice/"' in signed_in(alice()).get("/review/").content.decode()
    assert 'action="/practice/"' not in signed_in(bob()).get("/review/").content.decode()
    assert signed_in(bob()).post("/practice/").status_code == 403
    assert signed_in(alice()).post("/practice/")["Location"] == "/projects/proj_practice/"
