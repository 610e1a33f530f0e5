"""The pulse that opens the dashboard."""

import sys
import threading
import webbrowser

import pytest

from tdmcp_embedded.frame_queue import FrameQueue
from tdmcp_embedded.serving import Phase, Serving


@pytest.fixture
def run():
    """A run that serves, without its thread."""
    run = Serving(sys, FrameQueue(watch=False), {}, {})
    run.url = run.local_url = "http://127.0.0.1:9988/mcp"
    run.key, run.phase = "secret", Phase.SERVING
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


def test_the_browser_gets_the_key_in_the_fragment_only(run, opened):
    run.open_dashboard()
    wait()
    assert opened == ["http://127.0.0.1:9988/#key=secret"]
    assert run.warning == ""


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
