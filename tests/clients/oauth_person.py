"""The person who signs clients in: a browser without a window, and the pulses of the component."""

from __future__ import annotations

import http.client
import re
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from queue import Empty, Queue
from typing import Any, Final, Self
from urllib.parse import parse_qs, urljoin, urlsplit

from fakes.driver import StandIn
from tests import browser

#: Seconds for one sign-in.
WITHIN: Final = 60


class Person:
    """Opens the addresses that clients ask it to open, one after the other, on a thread of its own.

    Args:
        signs_in: as long as this is set; afterwards addresses are left alone.
    """

    def __init__(self, td: StandIn) -> None:
        self.td, self.signs_in = td, True
        self.pages: list[str] = []
        """What was seen of each sign-in: *chromium* or *http*."""
        self.troubles: list[str] = []
        """What kept a sign-in from its end."""
        self._asked: Queue[tuple[str, Queue[str]] | None] = Queue()
        self._thread = threading.Thread(target=self._work, daemon=True)

        class Callback(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: Any) -> None: ...

        self._server = HTTPServer(("127.0.0.1", 0), Callback)
        self._serving = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    @property
    def callback(self) -> str:
        """Where clients without a listener of their own have the browser come back to."""
        return f"http://127.0.0.1:{self._server.server_port}/callback"

    def __enter__(self) -> Self:
        self._thread.start()
        self._serving.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._asked.put(None)
        self._thread.join(WITHIN)
        self._server.shutdown()
        self._server.server_close()

    def open(self, address: str) -> dict[str, str] | None:
        """Sign in at an address; what comes back with the browser, or None if nobody signs in any more."""
        if not self.signs_in:
            return None
        answer: Queue[str] = Queue()
        self._asked.put((address, answer))
        try:
            final = answer.get(timeout=4 * WITHIN)
        except Empty:
            return None
        return {name: values[0] for name, values in parse_qs(urlsplit(final).query).items()}

    def watch(self, note: Path, until: threading.Event) -> threading.Thread:
        """Open each address that a program notes in a file, as its browser would, until the event is set."""

        def follow() -> None:
            seen: set[str] = set()
            while not until.wait(0.1):
                lines = note.read_text("utf-8").splitlines() if note.exists() else []
                for line in lines:
                    if line not in seen:
                        seen.add(line)
                        self.open(line.strip())

        thread = threading.Thread(target=follow, daemon=True)
        thread.start()
        return thread

    def _work(self) -> None:
        if browser.found() is None:
            self._serve(self._by_http, "http")
            return
        with browser.browser() as started:
            self._serve(lambda address: self._by_browser(started, address), "chromium")

    def _serve(self, visit: Any, kind: str) -> None:
        while (asked := self._asked.get()) is not None:
            address, answer = asked
            try:
                final = visit(address)
                self.pages.append(kind)
            except Exception as error:  # noqa: BLE001 - the client then waits in vain, which is the finding
                self.troubles.append(f"{address[:100]}: {type(error).__name__}: {str(error)[:300]}")
                final = ""
            answer.put(final)

    def _by_browser(self, started: Any, address: str) -> str:
        page = started.new_page()
        try:
            page.goto(address)
            self._approve(page.locator("code").inner_text())
            own = urlsplit(page.url).netloc
            page.wait_for_url(lambda url: urlsplit(url).netloc != own, timeout=WITHIN * 1000)
            final: str = page.url
            return final
        finally:
            page.close()

    def _by_http(self, address: str) -> str:
        first = urlsplit(address).netloc
        ends = time.monotonic() + WITHIN
        approved = False
        while time.monotonic() < ends:
            status, location, text = _get(address)
            if location:
                address = urljoin(address, location)
                if urlsplit(address).netloc != first:
                    _get(address)
                    return address
            elif status == 200 and not approved:
                code = re.search(r"<code>(.*?)</code>", text)
                assert code is not None, text
                self._approve(code[1])
                approved = True
        raise TimeoutError("the browser was not sent back")

    def _approve(self, code: str) -> None:
        """At TouchDesigner, once the very code of the page is shown there."""
        component = f"op({self.td.ready['component']!r})"
        ends = time.monotonic() + WITHIN
        while code not in self.td.exec(f"{component}.par.Consent.eval()"):
            assert time.monotonic() < ends, f"the code {code} is not shown"
        self.td.exec(f"{component}.par.Approve.pulse()")


def _get(address: str) -> tuple[int, str, str]:
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(str(parts.hostname), parts.port, timeout=WITHIN)
    try:
        connection.request("GET", f"{parts.path}?{parts.query}")
        answer = connection.getresponse()
        return answer.status, answer.getheader("Location") or "", answer.read().decode("utf-8", "replace")
    finally:
        connection.close()
