"""``make pictures``: the pictures of README and docs, taken of a demo of its own in Chromium."""

import io
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from tests.commands import desk
from tests.smoke.demo import Demo

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "pictures"
MOST_BYTES = 150_000
REVIEWED = "receipt-corner-larder.jpg"
LISTS = {"queue": "/review/", "overview": "/"}
_SIZE = {"width": 1360, "height": 850}
_MODEL_SECONDS = 1800  # the embedded model writes a few tokens a second
_DRAFT = """Read one page of a document. Leave a field null if the page does not say it.

{{fields}}

The seller is named at the head of the page, never under "Bill to".
{{#project_instructions}}
{{project_instructions}}
{{/project_instructions}}"""


def main() -> int:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not chromium:
        sys.stderr.write("Pictures are taken in Chromium, which is not installed.\n")
        return 1
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        demo = Demo(Path(folder) / "demo", **desk.overrides(MODEL="embedded"))
        try:
            demo.start()
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
                for name, address in LISTS.items():
                    _keep(_show(browser, demo, address), name)
                _keep(_run(browser, demo), "run")
                _keep(_review(browser, demo), "review")
                _keep(_workbench(browser, demo), "workbench")
                browser.close()
            demo.stop()
        finally:
            demo.end()
    return 0


def _page(browser: Browser, demo: Demo, username: str) -> Page:
    context = browser.new_context(viewport=_SIZE, reduced_motion="reduce", color_scheme="light")  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(f"{demo.web}/login/")
    page.get_by_label("Username").fill(username)
    page.get_by_label("Password").fill(demo.password(username))
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(f"{demo.web}/")
    return page


def _show(browser: Browser, demo: Demo, address: str) -> bytes:
    page = _page(browser, demo, "admin")
    page.goto(f"{demo.web}{address}")
    return _shoot(page)


def _run(browser: Browser, demo: Demo) -> bytes:
    page = _page(browser, demo, "admin")
    page.goto(f"{demo.web}/documents/")
    page.get_by_role("link", name=REVIEWED).first.click()
    page.get_by_role("link", name=re.compile(r"^…\w+$")).first.click()  # the short form of the run's ID
    page.wait_for_url("**/workflows/*/*/")
    return _shoot(page)


def _shoot(page: Page) -> bytes:
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(1000)
    return page.screenshot()


def _review(browser: Browser, demo: Demo) -> bytes:
    page = _page(browser, demo, "rosa")
    page.goto(f"{demo.web}/review/")
    page.get_by_role("link", name=REVIEWED).click()
    page.locator("[data-claim]").click()
    page.locator("[data-approve]").wait_for()
    page.locator('[name="field-total"]').focus()  # the page scrolls to the smudge
    return _shoot(page)


def _workbench(browser: Browser, demo: Demo) -> bytes:
    page = _page(browser, demo, "admin")
    page.goto(f"{demo.web}/projects/proj_receipts-and-invoices/prompts/extract/")
    page.get_by_label("Instructions").fill(_DRAFT)
    trial = page.locator("#trial-desk")
    trial.get_by_role("button", name="Try", exact=True).click()
    trial.get_by_text("Done", exact=True).wait_for(timeout=_MODEL_SECONDS * 1000)
    trial.scroll_into_view_if_needed()
    trial.evaluate("desk => window.scrollTo(0, desk.getBoundingClientRect().top + window.scrollY - 64)")
    return _shoot(page)


def _keep(shot: bytes, name: str) -> None:
    """As WebP, as good as fits."""
    picture = Image.open(io.BytesIO(shot)).convert("RGB")
    for quality in range(80, 30, -10):
        out = io.BytesIO()
        picture.save(out, "WEBP", quality=quality, method=6)
        if out.tell() <= MOST_BYTES:
            break
    (FOLDER / f"{name}.webp").write_bytes(out.getvalue())
    sys.stdout.write(f"{name}.webp: {out.tell():,} bytes\n")


if __name__ == "__main__":
    sys.exit(main())
