"""A real browser for the tests and for the pictures in the documentation: Chromium, Chrome or Edge, without a window."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, FrameLocator, Locator, Page

    from fakes.driver import StandIn

#: Milliseconds a test waits for something to appear; generous, since the machine may be busy.
PATIENCE_MS = 120_000

NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "msedge",
    "microsoft-edge",
)
PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
)


def found() -> str | None:
    """The browser that is installed here, if there is one."""
    named = next((path for name in NAMES if (path := shutil.which(name))), None)
    return named or next((place for place in PLACES if Path(place).exists()), None)


def executable() -> str:
    """The browser that is installed here.

    Raises:
        RuntimeError: there is none; the pages cannot be tested without.
    """
    path = found()
    if path is None:
        raise RuntimeError(
            "The browser tests need Chromium, Chrome or Edge (Debian: apt-get install chromium)."
        )
    return path


@contextmanager
def browser() -> Iterator[Browser]:
    """The browser, started; one is enough for many tests."""
    # Here, since the tests without a browser ask this module whether there is one.
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=PATIENCE_MS)
    arguments = ["--disable-dev-shm-usage"]
    if sys.platform == "linux" and os.geteuid() == 0:
        # Chromium refuses to run as root inside its own sandbox; these pages are ours.
        arguments.append("--no-sandbox")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=executable(), args=arguments)
        try:
            yield started
        finally:
            started.close()


class Tab:
    """A page, and whatever it complained of or fetched from elsewhere."""

    def __init__(self, context: BrowserContext) -> None:
        self.context = context
        self.page: Page = context.new_page()
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("console", self._console)
        self.page.on("request", lambda request: self.requests.append(request.url))

    def _console(self, message: Any) -> None:
        # That an answer was a refusal or did not come is said on the page, and is no fault of it.
        if message.type == "error" and "Failed to load resource" not in message.text:
            self.complaints.append(message.text)

    def close(self) -> None:
        self.context.close()


@contextmanager
def tab(started: Browser, **options: Any) -> Iterator[Tab]:
    """A tab with a storage of its own; afterwards its page must have had nothing to complain of.

    Args:
        options: of Playwright's `new_context`: `viewport`, `color_scheme`, `permissions` …
    """
    context = started.new_context(**{"viewport": {"width": 1500, "height": 1000}, **options})
    context.set_default_timeout(PATIENCE_MS)
    opened = Tab(context)
    try:
        yield opened
        assert opened.complaints == []
    finally:
        opened.close()


def visit(page: Page, td: StandIn, key: str | None = None) -> None:
    """Open the dashboard as the component's pulse opens it; with another key than its own, if one is given."""
    page.goto(f"{td.ready['dashboard']}#key={td.token if key is None else key}")


def operator(where: Page | FrameLocator, name: str) -> Locator:
    """An operator in the network viewer, as a screen reader finds it."""
    return where.locator(f"[role=option][data-path$='/{name}']")
