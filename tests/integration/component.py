"""What the tests of the component's life ask a stand-in, and how they wait."""

from __future__ import annotations

import ast
import contextlib
import http.client
import json
import random
import socket
import time
from urllib.parse import urlsplit

from fakes.driver import StandIn
from tests.integration.clients import INITIALIZE, JSON_HEADERS, request

COMPONENT = "op('/project1/tdmcp')"


def until(question, wanted, tries=1500, pause=0.0):
    """Ask until the answer is the wanted one. Bounded by tries; each goes through the stand-in's next frame.

    Args:
        pause: seconds between two tries, for work of many seconds, which each question would slow down.
    """
    got = None
    for _ in range(tries):
        got = question()
        if wanted(got) if callable(wanted) else got == wanted:
            return got
        time.sleep(pause)
    raise AssertionError(f"still {got!r}")


def par(td, name, component=COMPONENT):
    """What a custom parameter of the component shows."""
    return td.exec(f"{component}.par.{name}.eval()")[1:-1]


@contextlib.contextmanager
def quick(td):
    """A project of 250 frames a second, for what takes hundreds of frames."""
    td.exec("project.cookRate = root.time.rate = 250")
    yield
    td.exec("project.cookRate = root.time.rate = 60")


def serving(td, component=COMPONENT):
    """Wait until the component serves; the address it shows."""
    both = f"({component}.par.Status.eval(), {component}.par.Url.eval())"
    _, url = until(
        lambda: ast.literal_eval(td.exec(both)), lambda shown: shown[0].startswith("Serving at ") and shown[1]
    )
    return url


def on_a_fixed_port(**options) -> StandIn:
    """A stand-in whose component serves at the same address whenever it starts again, or is dropped in again."""
    # Below those that systems give to whoever asks for any: until it is bound, nobody gets it by chance.
    for port in random.sample(range(20_000, 32_000), 50):
        with socket.socket() as free, contextlib.suppress(OSError):
            free.bind(("127.0.0.1", port))
            break
    return StandIn("--scene", "empty", "--port", str(port), **options)


def answers(url):
    """Whether somebody listens behind an address."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=30)
    try:
        connection.request("GET", "/health")
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()


def gone(td, url):
    """Wait until nobody listens there any more."""
    until(lambda: td.exec("1") and answers(url), False)


def entries(td):
    """The registry of running servers, as clients read it."""
    return [json.loads(path.read_text("utf-8")) for path in (td.home / ".tdmcp" / "instances").glob("*.json")]


def initialize(td, url=None, token=None):
    """The status of a legacy handshake with the access key."""
    headers = {**JSON_HEADERS, "Authorization": f"Bearer {token or td.token}"}
    return request(url or td.url, "POST", INITIALIZE, headers).status
