"""The pulse that opens the dashboard."""

import sys
import threading
import webbrowser

import pytest

from tdmcp_embedded.frame_queue import FrameQueue
from tdmcp_embedded.http.browser_codes import MOST, VALID_S, BrowserCodes
from tdmcp_embedded.serving import Phase, Serving


@pytest.fixture
def run():
    """A run that serves, without its thread."""
    run = Serving(sys, FrameQueue(watch=False), {}, {})
    run.url = run.local_url = "http://127.0.0.1:9988/mcp"
    run.key, run.phase = "secret", Phase.SERVING
    run._codes = BrowserCodes()
    return run


@pytest.fixture
def opened(monkeypatch):
    """Addresses the browser was given; it can be made to fail."""
    addresses = []
    monkeypatch.setattr(webbrowser, "open", lambda address: addresses.append(address) or True)
    return addresses


def wait():
    for thread in threading.enumerate():
        if thread.name == "tdmcp-browser":
            thread.join(10)


def test_the_browser_gets_a_code_for_one_visit_and_no_key_since_others_can_read_its_command_line(run, opened):
    run.open_dashboard()
    wait()
    [address] = opened
    address, _, code = address.partition("#code=")
    assert address == "http://127.0.0.1:9988/" and "secret" not in code
    assert run._codes.redeem(code) and not run._codes.redeem(code)
    assert run.warning == ""


def test_a_code_is_good_for_a_minute_and_once():
    now = [0.0]
    codes = BrowserCodes(lambda: now[0])
    first, second = codes.make(), codes.make()
    assert not codes.redeem("") and not codes.redeem(first[:-1]) and not codes.redeem("\ud800")
    now[0] = VALID_S
    assert codes.redeem(first) and not codes.redeem(first)
    now[0] += 1
    assert not codes.redeem(second)


def test_codes_that_nobody_uses_do_not_pile_up():
    codes = BrowserCodes()
    made = [codes.make() for _ in range(MOST + 1)]
    assert not codes.redeem(made[0]) and all(codes.redeem(code) for code in made[1:])


def test_a_machine_without_a_browser_is_told_where_to_look_without_the_key(run, opened, monkeypatch):
    monkeypatch.setattr(webbrowser, "open", lambda address: False)
    run.open_dashboard()
    wait()
    assert "http://127.0.0.1:9988/" in run.warning and "secret" not in run.warning


def test_nothing_is_opened_while_nothing_serves(run, opened):
    run.phase = Phase.STARTING
    run.open_dashboard()
    wait()
    assert opened == []
