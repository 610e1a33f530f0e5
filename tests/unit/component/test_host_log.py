"""Our log records stay in memory until the main thread fetches them; the host's logging is left as found."""

import io
import logging

import pytest

from tdmcp_embedded import host_log


@pytest.fixture
def root_output():
    """A host whose root logger writes to the Textport."""
    textport = io.StringIO()
    handler = logging.StreamHandler(textport)
    logging.getLogger().addHandler(handler)
    yield textport
    logging.getLogger().removeHandler(handler)


@pytest.fixture
def attached():
    host_log.fetch()
    host_log.attach()
    yield
    host_log.detach()


def test_a_warning_of_the_server_does_not_reach_the_hosts_handlers(root_output, attached):
    logging.getLogger("uvicorn.error").warning("went wrong: %s", "port")
    assert root_output.getvalue() == ""
    assert host_log.fetch() == ["WARNING uvicorn.error: went wrong: port"]
    assert host_log.fetch() == []


def test_other_peoples_loggers_are_left_alone(root_output, attached):
    logging.getLogger("somebody.else").warning("hello")
    assert "hello" in root_output.getvalue()
    assert host_log.fetch() == []


def test_a_message_that_cannot_be_formatted_is_still_a_line(attached):
    # To the handler itself: pytest adds its own to loggers that do not propagate, and that one raises.
    host_log._memory.handle(logging.LogRecord("mcp", logging.ERROR, "", 0, "%d", ("no number",), None))
    assert len(host_log.fetch()) == 1


def test_a_flood_keeps_the_newest_lines_only(attached):
    for i in range(1000):
        logging.getLogger("tdmcp_embedded").warning("line %d", i)
    lines = host_log.fetch()
    assert len(lines) == 200 and lines[-1].endswith("line 999")


def test_the_last_user_leaves_logging_as_it_was():
    loggers = [logging.getLogger(name) for name in host_log.NAMES]
    before = [(logger.propagate, list(logger.handlers)) for logger in loggers]
    host_log.attach()
    host_log.attach()
    host_log.detach()
    assert not loggers[0].propagate
    host_log.detach()
    assert [(logger.propagate, list(logger.handlers)) for logger in loggers] == before
