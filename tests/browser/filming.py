"""Films what the journeys see, one file a page, into the folder that ``FILMS`` names; nothing without it.

Playwright's own videos need a program that it downloads; these are written by what is installed.
"""

import base64
import math
import os
import re
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from playwright.sync_api import BrowserContext, Page

A_SECOND = 10  # frames
_LAST = 1.0  # seconds for which the last picture stands


def film(context: BrowserContext) -> None:
    """To be asked before the context has a page."""
    if folder := os.environ.get("FILMS"):
        context.on("page", lambda page: _Film(page, Path(folder)))


class _Film:
    """Frames come when something changes, each with its moment; the file repeats them in between."""

    def __init__(self, page: Page, folder: Path) -> None:
        self._frames: list[tuple[float, bytes]] = []
        told = os.environ["PYTEST_CURRENT_TEST"].partition("::")[2].partition(" ")[0]
        self._path = folder / re.sub(r"\W+", "-", told.removeprefix("test_")).strip("-")
        self._page = page
        self._session = page.context.new_cdp_session(page)
        self._session.on("Page.screencastFrame", self._keep)
        self._session.send("Page.startScreencast", {"format": "jpeg", "quality": 80})
        page.on("close", lambda _: self._write())

    def _keep(self, event: dict[str, Any]) -> None:
        if self._page.url != "about:blank":
            self._frames.append((event["metadata"]["timestamp"], base64.b64decode(event["data"])))
        self._session.send("Page.screencastFrameAck", {"sessionId": event["sessionId"]})

    def _write(self) -> None:
        pictures = [cv2.imdecode(np.frombuffer(body, np.uint8), cv2.IMREAD_COLOR) for _, body in self._frames]
        if not pictures:
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        height, width = pictures[-1].shape[:2]
        film = cv2.VideoWriter(str(self._free()), cv2.VideoWriter.fourcc(*"VP80"), A_SECOND, (width, height))
        moments = [moment for moment, _ in self._frames]
        for picture, begins, ends in zip(pictures, moments, [*moments[1:], moments[-1] + _LAST], strict=True):
            times = math.floor(ends * A_SECOND) - math.floor(begins * A_SECOND)
            for _ in range(times):
                film.write(picture if picture.shape == pictures[-1].shape else cv2.resize(picture, (width, height)))
        film.release()

    def _free(self) -> Path:
        """A journey of several people has a film of each."""
        paths = (self._path.with_name(f"{self._path.name}{end}.webm") for end in ("", *(f"-{n}" for n in range(2, 99))))
        return next(path for path in paths if not path.exists())
