"""The page of licences is what is installed, and nothing under a copyleft licence is there without its reason."""

import re
from pathlib import Path

from django.conf import settings

from config.management import licences

ROOT = Path(settings.BASE_DIR)
# Strong copyleft, of which nothing may run: LGPL and MPL ask nothing of the program that loads a library of theirs.
STRONG = re.compile(r"(?<!L)GPL|Affero|General Public", re.IGNORECASE)


def test_the_page_is_up_to_date() -> None:
    assert (ROOT / "docs/licences.md").read_text() == licences.licences_page(ROOT), "Run `make licences` and commit it."


def test_each_package_has_a_licence_and_each_copyleft_one_its_reason() -> None:
    found = licences.list_packages(ROOT)
    assert len(found) > 100
    assert [one.name for one in found if one.licence == "unknown"] == []
    assert [one.name for one in found if one.copyleft and one.name not in licences.NOTES] == []
    assert set(licences.NOTES) <= {one.name for one in found}


def test_nothing_that_runs_is_under_the_gpl() -> None:
    """A choice between licences is one; the lesser one asks for no more than that its library can be exchanged."""
    runs = [one for one in licences.list_packages(ROOT) if one.where == "runs"]
    gpl = [one.name for one in runs if STRONG.search(re.sub(r"Lesser General Public", "", one.licence))]
    assert gpl == []
    assert not {"djlint", "pillow-heif"} & {one.name for one in runs}
