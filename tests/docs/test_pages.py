import re
from pathlib import Path

from django.conf import settings

ROOT = Path(settings.BASE_DIR)
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def test_every_link_between_pages_leads_somewhere() -> None:
    links = [(page, link) for page in PAGES for link in re.findall(r"\]\(([^)#:]+)\)", page.read_text())]
    assert links
    assert [f"{page.name}: {link}" for page, link in links if not (page.parent / link).exists()] == []


def test_every_link_to_a_heading_leads_to_one() -> None:
    links = [(page, *link) for page in PAGES for link in re.findall(r"\]\(([^)#:]*)#([^)]+)\)", page.read_text())]
    assert links
    assert [
        f"{page.name}: {to}#{at}" for page, to, at in links if at not in anchors(page.parent / to if to else page)
    ] == []


def anchors(page: Path) -> set[str]:
    """As GitHub makes them of headings: small letters, hyphens for blanks, no other signs."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", one.lower()).replace(" ", "-") for one in headings}


def test_the_first_page_and_the_decisions_stay_short() -> None:
    lengths = {page.name: len(page.read_text().splitlines()) for page in PAGES}
    assert lengths["README.md"] <= 60
    assert [page.name for page in (ROOT / "docs/adr").glob("*.md") if lengths[page.name] > 50] == []


def test_commands_that_the_first_page_names_exist() -> None:
    text = (ROOT / "README.md").read_text()
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"^    make (\w+)", text, re.MULTILINE)) <= targets
    commands = {path.stem for path in ROOT.glob("*/management/commands/*.py")}
    assert set(re.findall(r"manage\.py (\w+)", text)) <= commands
