"""Static files: one combined style sheet, and names with content hashes."""

import functools
import os
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.finders import BaseStorageFinder
from django.core.files.storage import FileSystemStorage
from whitenoise.storage import CompressedManifestStaticFilesStorage

SHEET = "css/countersign.css"
_PARTS = Path(__file__).resolve().parents[1] / "static" / "css"
# The order of the cascade: in one layer a later part wins.
ORDER = (
    "tokens", "base",
    "components/icons", "components/app-bar", "components/buttons", "components/labels", "components/inputs",
    "components/frame", "components/tables", "components/messages", "components/menus", "components/documents",
    "components/charts", "components/account", "components/news", "components/files",
    "pages/queue", "pages/runs", "pages/prompts", "pages/sign-in", "pages/desk", "pages/projects", "pages/documents",
    "pages/routing", "pages/settings", "pages/policies", "pages/search", "pages/links", "pages/review",
    "pages/definitions", "pages/trials", "pages/insight", "pages/quality", "pages/console",
)  # fmt: skip


class SheetFinder(BaseStorageFinder):
    """Finds the combined style sheet, for collectstatic and the development server: one request a page."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(FileSystemStorage(settings.STATE_DIR / "sheets"), *args, **kwargs)
        _write_sheet(settings.STATE_DIR / "sheets" / SHEET)

    def find(self, path: str, *args: Any, **kwargs: Any) -> Any:
        if path == SHEET:
            _write_sheet(settings.STATE_DIR / "sheets" / SHEET)  # a part may have changed since
        return super().find(path, *args, **kwargs)


class StaticStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # it ships no types
    """Caches hashed names: they do not change while a process lives, and each page asks for several."""

    @functools.cache  # noqa: B019 - there is one storage a process
    def url(self, name: str | None, force: bool = False) -> str:
        found: str = super().url(name, force)
        return found


def sheet() -> str:
    return "".join((_PARTS / f"{name}.css").read_text() for name in ORDER)


def _write_sheet(path: Path) -> None:
    """Replace the file atomically: another process may be reading it."""
    text = sheet()
    if path.exists() and path.read_text() == text:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(f".{os.getpid()}")
    draft.write_text(text)
    draft.replace(path)
