"""Our libraries' warnings go to our logs, never to the host's handlers; its logging is left as found."""

import io
import logging
import threading

import pytest

from tdmcp_embedded import host_log
from tdmcp_embedded.logs.log import Log


@pytest.fixture
def root_output():
    """A host whose root logger writes to the Textport."""
    textport = io.StringIO()
    handler = logging.StreamHandler(textport)
    logging.getLogger().addHandler(handler)
    yield textport
    logging.getLogger().removeHandler(handler)


@pytest.fixture
def log():
    log = Log()
    host_log.attach(log)
    yield log
    host_log.detach(log)


def told(log):
    return [(record.level, record.source, record.event) for record in log.ring.newest(1000)]


def test_a_warning_of_the_server_does_not_reach_the_hosts_handlers(root_output, log):
    logging.getLogger("uvicorn.error").warning("went wrong: %s", "port")
    assert root_output.getvalue() == ""
    assert told(log) == [("warning", "uvicorn.error", "went wrong: port")]


def test_other_peoples_loggers_are_left_alone(root_output, log):
    logging.getLogger("somebody.else").warning("hello")
    assert "hello" in root_output.getvalue()
    assert told(log) == []


@pytest.mark.parametrize("shared", host_log.SHARED)
def test_of_a_logger_we_share_with_the_host_only_our_threads_records_are_taken(root_output, log, shared):
    speak = logging.getLogger(shared).warning
    for name in ("tdmcp-http", "of the host"):
        thread = threading.Thread(target=speak, args=(f"from {name}",), name=name)
        thread.start()
        thread.join()
    assert root_output.getvalue() == "from of the host\n"
    assert told(log) == [("warning", shared, "from tdmcp-http")]


def test_a_message_that_cannot_be_formatted_is_still_a_line(log):
    # To the handler itself: pytest adds its own to loggers that do not propagate, and that one raises.
    host_log._forward.handle(logging.LogRecord("mcp", logging.ERROR, "", 0, "%d", ("no number",), None))
    assert told(log) == [("error", "mcp", "(a message that cannot be formatted)")]


def test_every_attached_log_is_told(log):
    other = Log()
    host_log.attach(other)
    logging.getLogger("mcp").error("boom")
    host_log.detach(other)
    assert told(log) == told(other) == [("error", "mcp", "boom")]


def test_the_last_user_leaves_logging_as_it_was():
    loggers = [logging.getLogger(name) for name in host_log.NAMES]
    before = [(logger.propagate, list(logger.handlers)) for logger in loggers]
    first, second = Log(), Log()
    host_log.attach(first)
    host_log.attach(second)
    host_log.detach(first)
    assert not loggers[0].propagate
    host_log.detach(second)
    assert [(logger.propagate, list(logger.handlers)) for logger in loggers] == before
    assert not any(logging.getLogger(name).filters for name in host_log.SHARED)
